import { deliveryPlaceSchema, resendDelivery } from "@/server/engine/channels/test-channel";
import { permitted } from "../../trpc";

export const resend = permitted("channel.manage")
  .input(deliveryPlaceSchema)
  .mutation(({ ctx, input }) => resendDelivery(ctx, input));
