"use client";
import { useTranslations } from "next-intl";
import { failureOf } from "@/app/_trpc/failure";
import { useZone } from "@/app/_ui/clock";
import { fullText, offsetText } from "@/app/_ui/instant";
import { useActorWord, useEventWords } from "../_run/event-list";
import { lastByPerson } from "../_run/model/event-key";
import { useRun } from "../_run/run-context";

/** Why a deed was not done, in words; who was faster and when, where the run's history knows it. */
export function useRefusal(openedMs: number): (error: unknown) => string {
  const t = useTranslations("run.act");
  const { events } = useRun();
  const { zone } = useZone();
  const words = useEventWords();
  const actor = useActorWord();
  const faster = () => {
    const event = lastByPerson(events.events, openedMs);
    if (!event) return "";
    const atMs = event.at.getTime();
    const time = `${fullText(atMs, zone, "second").slice(11)} ${offsetText(atMs, zone)}`;
    return ` ${t("staleBy", { who: actor(event.actor), what: words(event), time })}`;
  };
  return (error) => {
    const failure = failureOf(error);
    if (failure === null) return t("unreachable");
    const { code, message } = failure;
    if (code === "stale") return t("stale") + faster();
    if (code === "illegal_transition") return t("illegal", { message }) + faster();
    return code === "forbidden" ? t("forbidden") : t("failed", { message });
  };
}
