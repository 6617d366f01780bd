import { channelPlaceSchema } from "@/server/engine/channels/remove-channel";
import { testChannel } from "@/server/engine/channels/test-channel";
import { permitted } from "../../trpc";

export const test = permitted("channel.manage")
  .input(channelPlaceSchema)
  .mutation(({ ctx, input }) => testChannel(ctx, input));
