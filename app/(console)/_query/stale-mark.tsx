"use client";
import { DisconnectedMark } from "@/app/_ui/disconnected-mark";
import { useLiveState } from "../_frame/live";

/** In a page's header: says since when what it shows is not fresh; nothing while it is. */
export function StaleMark() {
  const live = useLiveState();
  return live.kind === "offline" && live.sinceMs !== null ? <DisconnectedMark sinceMs={live.sinceMs} /> : null;
}
