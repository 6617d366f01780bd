"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Duration } from "@/app/_ui/duration";
import { KeyValues } from "@/app/_ui/key-values";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { roleAllows } from "@/server/domain/access/roles";
import { reviewIssues } from "@/server/domain/incident/review";
import { useRoleIn } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { MissingList } from "./missing-list";
import type { ReviewDraft } from "./model/review-draft";
import { ReviewForm } from "./review-form";
import { StaleReview } from "./stale-review";
import type { IncidentDetails } from "./views";

/** The post-incident review: what is known by itself, what people add, and what it still lacks (INC-2). */
export function ReviewTab({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.review");
  const role = useRoleIn(incident.projectId);
  const { review } = incident;
  const [draft, setDraft] = useState<ReviewDraft | null>(null);
  const isSettled = incident.state === "closed" && incident.recurredIn === null;
  const mayWrite = role !== null && roleAllows(role, "incident.handle") && !isSettled;
  const shown: ReviewDraft = draft ?? { form: review.form, base: review.form, revision: review.revision };
  const saver = useSaver(incident, () => setDraft(null));
  const issues = reviewIssues(shown.form);
  return (
    <div className="flex flex-col gap-6">
      <p className="max-w-prose text-ink-2 text-table">{t(isSettled ? "settled" : "lead")}</p>
      <Known incident={incident} />
      <ReviewForm incident={incident} form={shown.form} disabled={!mayWrite} onForm={(form) => setDraft({ ...shown, form })} />
      <Panel title={t("missing")} note={issues.length === 0 ? t("isComplete") : undefined}>
        <MissingList issues={issues} />
      </Panel>
      {draft && draft.revision < review.revision ? (
        <StaleReview
          incident={incident}
          base={draft.base}
          onTheirs={() => {
            saver.reset();
            setDraft(null);
          }}
          onMine={() => saver.save({ ...draft, revision: review.revision })}
        />
      ) : saver.error ? (
        <p role="alert" className="break-words border-state-failed border-l-2 pl-2 text-state-failed text-table">
          {saver.errorText}
        </p>
      ) : null}
      {mayWrite ? (
        <div className="sticky bottom-0 flex flex-wrap items-center gap-3 border-line-strong border-t bg-ground py-3">
          <SavedMark incident={incident} />
          <span className="ml-auto flex gap-2">
            {draft ? <Button onClick={() => setDraft(null)}>{t("discard")}</Button> : null}
            <Button look="primary" busy={saver.busy} disabled={!draft} onClick={() => saver.save(shown)}>
              {t("save")}
            </Button>
          </span>
        </div>
      ) : null}
    </div>
  );
}

function useSaver(incident: IncidentDetails, onSaved: () => void) {
  const t = useTranslations("incidents.review");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const saving = useMutation(
    trpc.incidents.saveReview.mutationOptions({
      onSuccess: ({ missing }) => {
        refresh();
        onSaved();
        notify({ title: t("saved"), detail: t("savedDraft", { n: missing }) });
      },
      onError: refresh,
    }),
  );
  return {
    busy: saving.isPending,
    error: saving.error,
    errorText: saving.error ? text(saving.error) : null,
    reset: saving.reset,
    save: ({ form, revision }: Pick<ReviewDraft, "form" | "revision">) => saving.mutate({ id: incident.id, revision, form }),
  };
}

function SavedMark({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.review");
  const { savedBy, savedAt } = incident.review;
  return (
    <span className="flex flex-wrap gap-x-2 text-ink-3 text-meta">
      {savedBy === null ? (
        t("neverSaved")
      ) : (
        <>
          {t("lastSaved", { who: savedBy })}
          <Time relative at={savedAt} />
        </>
      )}
    </span>
  );
}

function Known({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.review");
  const { facts } = incident;
  return (
    <Panel title={t("known")}>
      <KeyValues
        items={[
          {
            key: "detection",
            label: t("detection"),
            value: facts.detectionMs === null ? t("detectionNone") : <Duration ms={facts.detectionMs} />,
          },
          { key: "failed", label: t("runsFailed"), value: facts.runsFailed },
          { key: "late", label: t("runsLate"), value: facts.runsLate },
          { key: "attempts", label: t("attempts"), value: facts.attempts },
        ]}
      />
    </Panel>
  );
}
