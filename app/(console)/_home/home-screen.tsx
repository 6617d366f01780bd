"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { cn } from "@/app/_ui/class-names";
import { PageHeader } from "@/app/_ui/page-header";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { OpenBursts } from "../_causes/open-bursts";
import { DeferredBanner } from "../_deferred/deferred-banner";
import { QueryState } from "../_query/query-state";
import { StaleMark } from "../_query/stale-mark";
import { WaysIn } from "../_ways-in/ways-in";
import { BrokenBlock } from "./broken-block";
import { ChangedBlock } from "./changed-block";
import { LateBlock } from "./late-block";
import { judgePlatform } from "./model/judge-platform";
import { NextHourBlock } from "./next-hour-block";
import { PlatformBlock } from "./platform-block";
import type { HomeView } from "./views";
import { WellLine } from "./well-line";

interface HomeScreenProps {
  projectId: string;
  title: string;
  role: Role;
  /** There is a demo beside this project. */
  demo: boolean;
}

/** Silence and lag are told by no event: they are asked for. */
const EVERY_MS = 10_000;

/** Is the platform well, what is broken, and what must I do? */
export function HomeScreen({ projectId, title, role, demo }: HomeScreenProps) {
  const t = useTranslations("home");
  const trpc = useTRPC();
  const home = useQuery({ ...trpc.home.get.queryOptions({ projectId }), refetchInterval: EVERY_MS });
  const any = useQuery(trpc.pipelines.list.queryOptions({ projectId, limit: 1 }));
  const isEmpty = any.data?.items.length === 0;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead", { project: title })}</span>
            <StaleMark />
          </>
        }
      />
      <DeferredBanner projectId={projectId} />
      {isEmpty ? <WaysIn mayEdit={roleAllows(role, "pipeline.edit")} demo={demo} /> : null}
      <OpenBursts projectId={projectId} everyMs={EVERY_MS} />
      <QueryState query={home}>{(data) => <Blocks home={data} />}</QueryState>
    </>
  );
}

function Blocks({ home }: { home: HomeView }) {
  const { platform, broken, deadLetters, valves, lateOrSilent, changed, next } = home;
  const platformWell = judgePlatform(platform).troubles === 0;
  const isWell = platformWell && broken.length === 0 && lateOrSilent.length === 0;
  const brokenNow = new Set(broken.map(({ pipeline }) => pipeline.id));
  return (
    <div className="grid gap-x-8 gap-y-5 px-4 pb-6 md:px-6 lg:grid-cols-[minmax(20rem,1fr)_2fr]">
      {isWell ? (
        <div className="lg:col-span-2">
          <WellLine platform={platform} />
        </div>
      ) : null}
      {/* On a phone the platform comes first only where it is the news. */}
      <div className={cn("min-w-0", platformWell && !isWell && "max-lg:order-2")}>
        <PlatformBlock platform={platform} deadLetters={deadLetters} valves={valves} />
      </div>
      {isWell ? null : (
        <>
          <BrokenBlock broken={broken} />
          <LateBlock late={lateOrSilent} />
        </>
      )}
      <div className="min-w-0 max-lg:order-3">
        <ChangedBlock changed={changed} />
      </div>
      <div className="min-w-0 max-lg:order-4 lg:col-span-2">
        <NextHourBlock next={next} broken={brokenNow} />
      </div>
    </div>
  );
}
