"use client";
import { skipToken, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useMemo, useState } from "react";
import { useTRPC } from "./client";
import { liveRefresh } from "./live-refresh";

export type LiveConnection = { readonly kind: "live" } | { readonly kind: "offline"; readonly sinceMs: number | null };

/**
 * Keeps what is shown of a project fresh by push: every change asks the active queries again. Tells whether the line
 * stands, and since when it does not. With null it listens to nothing.
 */
export function useLive(projectId: string | null): LiveConnection {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [connection, setConnection] = useState<LiveConnection>({ kind: "offline", sinceMs: null });
  const changed = useMemo(
    () =>
      liveRefresh(
        () => queryClient.invalidateQueries({ refetchType: "active" }),
        (work, ms) => void setTimeout(work, ms),
      ),
    [queryClient],
  );
  const cut = () => setConnection((now) => (now.kind === "offline" ? now : { kind: "offline", sinceMs: Date.now() }));
  useSubscription(
    trpc.live.changes.subscriptionOptions(projectId === null ? skipToken : { projectId }, {
      onStarted: () => setConnection({ kind: "live" }),
      onData: () => {
        setConnection((now) => (now.kind === "live" ? now : { kind: "live" }));
        changed();
      },
      onError: cut,
      onConnectionStateChange: (state) => {
        if (state.state === "connecting" && state.error) cut();
      },
    }),
  );
  return connection;
}
