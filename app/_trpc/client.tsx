"use client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import superjson from "superjson";
import type { AppRouter } from "@/server/api/root";
import { failureOf } from "./failure";
import { forwardOnly } from "./forward-only";

const URL = "/api/trpc";
const MAX_BATCH = 20;
const STALE_MS = 5_000;
const MOST_RETRIES = 3;

const context = createTRPCContext<AppRouter>();
/** `const trpc = useTRPC(); useQuery(trpc.runs.get.queryOptions({ runId }))`. */
export const useTRPC = context.useTRPC;
/** For what no hook fits, such as a call that both tells and changes something. */
export const useTRPCClient = context.useTRPCClient;

/** Puts procedures within reach of every part below it. */
export function TrpcGround({ children }: { children: ReactNode }) {
  const [queryClient] = useState(newQueryClient);
  const [trpcClient] = useState(newTrpcClient);
  return (
    <QueryClientProvider client={queryClient}>
      <context.TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  );
}

/** Only what may pass by itself is asked again: a refusal stays a refusal. */
function newQueryClient() {
  const retry = (count: number, error: unknown) =>
    count < MOST_RETRIES && [null, "bug", "unavailable"].includes(failureOf(error)?.code ?? null);
  return new QueryClient({ defaultOptions: { queries: { staleTime: STALE_MS, retry }, mutations: { retry: false } } });
}

function newTrpcClient() {
  return createTRPCClient<AppRouter>({
    links: [
      forwardOnly,
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: httpSubscriptionLink({ url: URL, transformer: superjson }),
        // By POST, so that what is asked never stands in an address.
        false: httpBatchLink({ url: URL, transformer: superjson, maxItems: MAX_BATCH, methodOverride: "POST" }),
      }),
    ],
  });
}
