import { channelsOfSchema, listChannels } from "@/server/engine/channels/list-channels";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(channelsOfSchema)
  .query(({ ctx, input }) => listChannels(ctx, input));
