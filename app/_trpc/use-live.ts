"use client";
import { skipToken, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useMemo, useState } from "react";
import { useTRPC } from "./client";
import { failureOf } from "./failure";
import { liveRefresh } from "./live-refresh";

export type LiveConnection = { readonly kind: "live" } | { readonly kind: "offline"; readonly sinceMs: number | null };

const AGAIN_MS = 3_000;

/** The browser gives a line up for good when an error page answers, as from a server that is just starting. */
function mayPass(error: unknown): boolean {
  return [null, "bug", "unavailable"].includes(failureOf(error)?.code ?? null);
}

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
  const line = useSubscription(
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
  const { reset } = line;
  const isGivenUp = line.status === "error" && mayPass(line.error);
  useEffect(() => {
    if (!isGivenUp) return;
    const timer = setTimeout(reset, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isGivenUp, reset]);
  return connection;
}
