"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { BarStrip } from "@/app/_ui/bar-strip";
import { useZone } from "@/app/_ui/clock";
import { Duration } from "@/app/_ui/duration";
import { shortText } from "@/app/_ui/instant";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { Time, ZoneNote } from "@/app/_ui/time";
import { BurstState } from "../../_causes/burst-state";
import { everyMinute } from "../../_causes/in-time";
import type { CauseDetails } from "../../_causes/views";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { CauseChanges } from "./cause-changes";
import { CauseHosts } from "./cause-hosts";
import { CauseShares } from "./cause-shares";

/** The counts of a burst move with the clock. */
const LOOK_AGAIN_MS = 10_000;

/** One burst of a code: what its failures have in common, and what changed before it (EXC-7). */
export function CauseCard({ projectId, id }: { projectId: string; id: string }) {
  const trpc = useTRPC();
  const found = useQuery({
    ...trpc.rootCauses.get.queryOptions({ projectId, id }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && state.data.endedAt !== null ? false : LOOK_AGAIN_MS),
  });
  return <QueryState query={found}>{(cause) => <Card cause={cause} />}</QueryState>;
}

function Card({ cause }: { cause: CauseDetails }) {
  const t = useTranslations("causes");
  return (
    <>
      <PageHeader
        trail={
          <Link href={`/codes/${cause.code}`}>
            <Mono className="break-all">{cause.code}</Mono>
          </Link>
        }
        mark={<BurstState endedAt={cause.endedAt} />}
        title={t("title", { n: cause.total })}
        meta={
          <>
            <Time at={cause.openedAt} />
            <Duration since={cause.openedAt} until={cause.endedAt} />
            <StaleMark />
          </>
        }
      />
      <div className="grid gap-x-10 gap-y-6 px-4 pb-8 md:px-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Facts cause={cause} />
          <Minutes cause={cause} />
          <CauseChanges changes={cause.changes} />
          <CauseHosts hosts={cause.hosts} />
        </div>
        <CauseShares cause={cause} />
      </div>
    </>
  );
}

function Facts({ cause }: { cause: CauseDetails }) {
  const t = useTranslations("causes.facts");
  return (
    <KeyValues
      items={[
        { key: "total", label: t("total"), value: cause.total },
        { key: "peak", label: t("peak"), value: cause.peak },
        { key: "opened", label: t("opened"), value: <Time at={cause.openedAt} full /> },
        { key: "ended", label: t("ended"), value: <Time at={cause.endedAt} full none={t("goesOn")} /> },
        { key: "counted", label: t("counted"), value: <Time at={cause.countedUntil} full /> },
      ]}
    />
  );
}

/** Minutes that fit beside each other. */
const MOST_BARS = 90;

function Minutes({ cause }: { cause: CauseDetails }) {
  const t = useTranslations("causes");
  const { zone } = useZone();
  const minutes = everyMinute(cause.minutes, MOST_BARS);
  return (
    <Panel title={t("minutes")} note={<ZoneNote />}>
      <div className="flex w-fit max-w-full flex-row-reverse overflow-x-auto">
        <BarStrip
          className="shrink-0"
          places={Math.max(20, minutes.length)}
          label={t("minutesLabel", { peak: cause.peak })}
          bars={minutes.map(({ at, events }) => ({
            key: String(at),
            height: cause.peak === 0 ? 0 : events / cause.peak,
            color: events === 0 ? "var(--line-strong)" : "var(--state-failed)",
            fill: events === 0 ? ("hollow" as const) : ("solid" as const),
            label: t("minute", { at: shortText(at, cause.countedUntil.getTime(), zone, "minute"), n: events }),
          }))}
        />
      </div>
    </Panel>
  );
}
