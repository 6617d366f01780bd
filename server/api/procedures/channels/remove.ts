import { channelPlaceSchema, removeChannel } from "@/server/engine/channels/remove-channel";
import { permitted } from "../../trpc";

export const remove = permitted("channel.manage")
  .input(channelPlaceSchema)
  .mutation(({ ctx, input }) => removeChannel(ctx, input));
