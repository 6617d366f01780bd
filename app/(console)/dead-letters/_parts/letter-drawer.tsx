"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Time } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import { useRoleIn } from "../../_frame/project";
import { QueryState } from "../../_query/query-state";
import { ActDialog } from "./act-dialog";
import type { LetterAct, LetterView } from "./views";

/** One dead letter whole: why it is here, what led to it, and what can be done. */
export function LetterDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTranslations("deadLetters");
  const trpc = useTRPC();
  const found = useQuery(trpc.deadLetters.get.queryOptions({ id }));
  const [act, setAct] = useState<LetterAct | null>(null);
  const letter = found.data;
  const role = useRoleIn(letter?.projectId ?? "");
  const mayAct = letter !== undefined && letter.closed === null && role !== null && roleAllows(role, "run.intervene");
  return (
    <>
      <Drawer
        open
        onOpen={(open) => {
          if (!open) onClose();
        }}
        title={letter ? t("letter.title", { node: letter.node.key, pipeline: letter.pipeline.title }) : t("title")}
        footer={
          mayAct ? (
            <>
              <Button onClick={() => setAct("discard")}>{t("act.discard")}</Button>
              <Button look="primary" onClick={() => setAct("release")}>
                {t("act.release")}
              </Button>
            </>
          ) : undefined
        }
      >
        <QueryState query={found}>{(data) => <Letter letter={data} />}</QueryState>
      </Drawer>
      {act && letter ? (
        <ActDialog
          act={act}
          letter={letter}
          onClose={(done) => {
            setAct(null);
            if (done) onClose();
          }}
        />
      ) : null}
    </>
  );
}

function Letter({ letter }: { letter: LetterView }) {
  const t = useTranslations("deadLetters");
  const { closed, error } = letter;
  return (
    <div className="flex flex-col gap-6">
      <p className="border-state-review border-l-2 pl-2 text-body text-ink-2">{t(`explain.${letter.cause}`)}</p>
      <KeyValues
        items={[
          {
            key: "run",
            label: t("letter.run"),
            value: <Link href={`/runs/${letter.run.id}?node=${letter.node.key}`}>{letter.run.id}</Link>,
            mono: true,
          },
          { key: "state", label: t("letter.state"), value: <StateBadge of="node" state={letter.node.state} /> },
          { key: "group", label: t("letter.group"), value: letter.node.group, mono: true },
          // Of the other causes it says in the engine's own words what stands above in the reader's.
          ...(letter.cause === "undecidable" ? [{ key: "why", label: t("letter.why"), value: letter.why }] : []),
          ...(error
            ? [
                { key: "code", label: t("letter.code"), value: <Mono copy>{error.code}</Mono> },
                { key: "message", label: t("letter.message"), value: error.message },
              ]
            : []),
          { key: "at", label: t("letter.at"), value: <Time at={letter.at} full /> },
          ...(closed
            ? [
                { key: "end", label: t("letter.end"), value: t(`end.${closed.as}`) },
                { key: "endAt", label: t("letter.endAt"), value: <Time at={closed.at} full /> },
                { key: "by", label: t("letter.by"), value: closed.by?.label ?? "–" },
                { key: "reason", label: t("letter.reason"), value: closed.reason ?? "–" },
              ]
            : []),
        ]}
      />
      <Attempts letter={letter} />
    </div>
  );
}

function Attempts({ letter }: { letter: LetterView }) {
  const t = useTranslations("deadLetters");
  if (letter.attempts.length === 0) return null;
  return (
    <section>
      <h3 className="mb-2 font-semibold text-table">{t("letter.attempts")}</h3>
      <ol className="flex flex-col text-table">
        {letter.attempts.map((attempt) => (
          <li key={attempt.no} className="border-b py-1.5 last:border-b-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-medium tabular-nums">{t("letter.attempt", { no: attempt.no })}</span>
              <span>{attempt.outcome === null ? t("outcome.running") : t(`outcome.${attempt.outcome}`)}</span>
              <span className="font-mono text-ink-3 text-meta">{attempt.workerId}</span>
              <Time bare at={attempt.dispatchedAt} className="ml-auto text-ink-3 text-meta" />
            </p>
            {attempt.error ? <p className="break-words text-ink-2 text-meta">{attempt.error.message}</p> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}
