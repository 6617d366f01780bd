import { saveChannel, saveChannelSchema } from "@/server/engine/channels/save-channel";
import { permitted } from "../../trpc";

export const save = permitted("channel.manage")
  .input(saveChannelSchema)
  .mutation(({ ctx, input }) => saveChannel(ctx, input));
