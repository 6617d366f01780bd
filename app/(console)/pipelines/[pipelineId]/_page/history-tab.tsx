"use client";
import { useTranslations } from "next-intl";
import { EmptyState } from "@/app/_ui/empty-state";
import { AuditTable } from "../../../_audit/audit-table";
import { useAudit } from "../../../_audit/use-audit";
import type { PipelineProps } from "./tabs";

/** Who did what to it; anyone who sees a pipeline sees its history (AUD-2). */
export function HistoryTab({ projectId, pipeline }: PipelineProps) {
  const t = useTranslations("audit.nothing");
  const audit = useAudit({ projectId, objectKind: "pipeline", objectId: pipeline.id });
  return <AuditTable ofOne audit={audit} empty={<EmptyState title={t("title")}>{t("body")}</EmptyState>} />;
}
