import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/api/root";

/** What each procedure answers: `Outputs["home"]["get"]`. */
export type Outputs = inferRouterOutputs<AppRouter>;
