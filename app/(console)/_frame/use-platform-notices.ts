"use client";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import type { FrameBanner } from "./frame-data";

interface Health {
  database: string;
  leader: object | null;
  workers: readonly { refusing: string | null }[];
}

const EVERY_MS = 10_000;

async function askHealth(signal: AbortSignal): Promise<Health | null> {
  const answer = await fetch("/api/health", { signal, cache: "no-store" }).catch(() => null);
  const body: unknown = await answer?.json().catch(() => null);
  const known = typeof body === "object" && body !== null && "workers" in body && "leader" in body && "database" in body;
  return known ? (body as Health) : null;
}

/** What is wrong with the platform itself, for whoever is on any page. What cannot be asked is told by the live mark. */
export function usePlatformNotices(): readonly FrameBanner[] {
  const t = useTranslations("frame.notices");
  const [health, setHealth] = useState<Health | null>(null);

  useEffect(() => {
    const abort = new AbortController();
    const ask = () => {
      if (document.visibilityState === "hidden") return;
      void askHealth(abort.signal).then((found) => {
        if (!abort.signal.aborted) setHealth(found);
      });
    };
    ask();
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      abort.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, []);

  if (health === null || health.database === "unknown") return [];
  if (health.database !== "ok") return [{ key: "database", tone: "bad", text: t("noDatabase") }];
  const banners: FrameBanner[] = [];
  if (health.leader === null) banners.push({ key: "leader", tone: "bad", text: t("noLeader") });
  const workers = { href: "/workers", label: t("toWorkers") };
  if (health.workers.length === 0) banners.push({ key: "workers", tone: "bad", text: t("noWorker"), link: workers });
  else if (health.workers.every(({ refusing }) => refusing !== null)) {
    banners.push({ key: "refusing", tone: "bad", text: t("allRefuse"), link: workers });
  }
  return banners;
}
