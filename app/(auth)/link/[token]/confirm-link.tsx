"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { SkeletonRows } from "@/app/_ui/skeleton";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "@/app/(console)/_query/outputs";
import { useFailureText } from "@/app/(console)/_query/use-failure-text";
import { LinkRefused } from "./link-refused";
import { Radius } from "./radius";

type View = Outputs["links"]["open"];

/** The page behind a button of a message: what will happen and what it touches, before one press does it. */
export function ConfirmLink({ token }: { token: string }) {
  const t = useTranslations("links");
  const trpc = useTRPC();
  const client = useTRPCClient();
  const text = useFailureText();
  const found = useQuery({
    queryKey: ["link", token],
    // By POST: opening it makes it this person's.
    queryFn: () => client.links.open.mutate({ token }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const press = useMutation(
    trpc.links.press.mutationOptions({
      onError: (error) => {
        // The page then says what it has become.
        if (failureOf(error)?.code === "stale") void found.refetch();
      },
    }),
  );
  const view = found.data;
  if (!view) {
    if (!found.error) return <SkeletonRows label={t("working")} />;
    const home = (
      <Button asChild>
        <Link href="/">{t("another")}</Link>
      </Button>
    );
    return <ErrorState title={t("refused")} detail={isUnknown(found.error) ? t("unknown") : text(found.error)} actions={home} />;
  }
  if (press.isSuccess) return <Done view={view} />;
  if (view.refusal) return <LinkRefused refusal={view.refusal} head={<Head view={view} />} places={<Places view={view} />} />;
  return (
    <div className="flex flex-col gap-5">
      <Head view={view} />
      <Radius view={view} />
      <Facts view={view} />
      {press.error ? <ErrorState detail={text(press.error)} /> : null}
      {view.forbidden ? (
        <p className="border-state-queued border-l-2 pl-3 text-ink-2 text-table">{t("forbidden")}</p>
      ) : (
        <Button
          look={view.action === "cancel_run" ? "destroy" : "primary"}
          size="lg"
          className="w-full"
          busy={press.isPending}
          onClick={() => press.mutate({ token })}
        >
          {t(`action.${view.action}`)}
        </Button>
      )}
      <Places view={view} />
    </div>
  );
}

/** Cut off, or of another product. */
const isUnknown = (error: unknown): boolean => ["invalid_input", "not_found"].includes(failureOf(error)?.code ?? "");

function Head({ view }: { view: View }) {
  const t = useTranslations("links");
  const { action, target, pipeline, alert } = view;
  const names = { node: target.nodeKey ?? "", pipeline: pipeline ?? "", worker: target.workerId ?? "" };
  return (
    <header className="flex flex-col gap-2">
      <p className="flex items-center gap-2 text-ink-2 text-table">
        <Badge>{alert.grade}</Badge> {t("alert")} {`#${alert.no}`}
      </p>
      <h1 className="font-semibold text-page tracking-[-0.01em]">{t(`action.${action}`)}</h1>
      <p className="break-words text-body text-ink-2">{t(`what.${action}`, names)}</p>
    </header>
  );
}

function Facts({ view: { alert, label, project, maker, expiresAt } }: { view: View }) {
  const t = useTranslations("links");
  return (
    <KeyValues
      items={[
        { key: "object", label: t("object"), value: label },
        { key: "code", label: t("code"), value: <Mono>{alert.code}</Mono> },
        { key: "project", label: t("project"), value: project },
        { key: "asks", label: t("asks"), value: maker.kind === "channel" ? t("channel", { name: maker.label }) : maker.label },
        { key: "ends", label: t("ends"), value: <Time at={expiresAt} full /> },
      ]}
    />
  );
}

function Places({ view: { alert, target } }: { view: View }): ReactNode {
  const t = useTranslations("links");
  const node = target.nodeKey === null ? "" : `?node=${encodeURIComponent(target.nodeKey)}`;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-2 text-table">
      <Link href={`/alerts?alert=${alert.id}`}>{t("openAlert")}</Link>
      {target.runId === null ? null : <Link href={`/runs/${target.runId}${node}`}>{t("openRun")}</Link>}
    </p>
  );
}

function Done({ view }: { view: View }) {
  const t = useTranslations("links");
  return (
    <div className="flex flex-col gap-5" role="status">
      <p className="flex items-center gap-2 font-semibold text-page">
        <CircleCheck size={20} aria-hidden="true" className="text-state-success" />
        {t("done")}
      </p>
      <div>
        <p className="font-medium text-body">{t(`action.${view.action}`)}</p>
        <p className="text-ink-2 text-table">{t("doneLead")}</p>
      </div>
      <Places view={view} />
    </div>
  );
}
