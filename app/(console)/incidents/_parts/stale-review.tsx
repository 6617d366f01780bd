"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { changedFields, type ReviewForm } from "@/server/domain/incident/review";
import type { IncidentDetails } from "./views";

interface StaleReviewProps {
  incident: IncidentDetails;
  /** The wording that the reader began from. */
  base: ReviewForm;
  onTheirs: () => void;
  onMine: () => void;
}

/** Somebody was quicker: who, what has changed by it, and the two ways on. */
export function StaleReview({ incident, base, onTheirs, onMine }: StaleReviewProps) {
  const t = useTranslations("incidents.review");
  const named = changedFields(base, incident.review.form).map((field) => t(`fields.${field}`));
  const who = incident.review.savedBy ?? "";
  return (
    <div role="alert" className="flex flex-col gap-2 border-state-retrying border-l-2 pl-3 text-table">
      <p className="break-words">{t("stale", { who, fields: named.length === 0 ? t("staleNothing") : named.join(", ") })}</p>
      <span className="flex flex-wrap gap-2">
        <Button onClick={onTheirs}>{t("takeTheirs")}</Button>
        <Button look="danger" onClick={onMine}>
          {t("keepMine")}
        </Button>
      </span>
    </div>
  );
}
