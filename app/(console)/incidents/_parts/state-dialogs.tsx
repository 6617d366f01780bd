"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Dialog } from "@/app/_ui/dialog";
import { notify } from "@/app/_ui/toast";
import { closingIssues } from "@/server/domain/incident/review";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { MissingList } from "./missing-list";
import type { IncidentDetails } from "./views";

interface DialogProps {
  incident: IncidentDetails;
  onClose: () => void;
}

export function ResolveDialog({ incident, onClose }: DialogProps) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const text = useFailureText();
  const done = useDone(t("resolved", { no: incident.no }), onClose);
  const resolve = useMutation(trpc.incidents.resolve.mutationOptions(done));
  return (
    <ConfirmDialog
      open
      onOpen={onClose}
      title={t("resolveTitle", { no: incident.no })}
      verb={t("resolve")}
      reason="required"
      busy={resolve.isPending}
      error={resolve.error ? text(resolve.error) : undefined}
      onConfirm={(reason) => resolve.mutate({ id: incident.id, revision: incident.revision, reason })}
    >
      {t("resolveBody")}
    </ConfirmDialog>
  );
}

export function ReopenDialog({ incident, onClose }: DialogProps) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const text = useFailureText();
  const done = useDone(t("reopened", { no: incident.no }), onClose);
  const reopen = useMutation(trpc.incidents.reopen.mutationOptions(done));
  return (
    <ConfirmDialog
      open
      onOpen={onClose}
      title={t("reopenTitle", { no: incident.no })}
      verb={t("reopen")}
      reason="required"
      busy={reopen.isPending}
      error={reopen.error ? text(reopen.error) : undefined}
      onConfirm={(reason) => reopen.mutate({ id: incident.id, revision: incident.revision, reason })}
    >
      {t("reopenBody")}
    </ConfirmDialog>
  );
}

/** Says beforehand what a closing still lacks, and leads to where it is written. */
export function CloseDialog({ incident, onClose }: DialogProps) {
  const t = useTranslations("incidents.act");
  const ui = useTranslations("ui");
  const trpc = useTRPC();
  const text = useFailureText();
  const { write } = useAddress();
  const done = useDone(t("closed", { no: incident.no }), onClose);
  const close = useMutation(trpc.incidents.close.mutationOptions(done));
  const saved = incident.review.revision === 0 ? null : incident.review.form;
  const issues = closingIssues(incident.severity, saved);
  if (issues.length > 0) {
    return (
      <Dialog
        open
        onOpen={onClose}
        title={t("closeTitle", { no: incident.no })}
        footer={
          <>
            <Button onClick={onClose}>{ui("cancel")}</Button>
            <Button
              look="primary"
              onClick={() => {
                write({ tab: "review" });
                onClose();
              }}
            >
              {t("toReview")}
            </Button>
          </>
        }
      >
        <p className="mb-2 text-body">{t("closeMissing", { severity: incident.severity })}</p>
        <MissingList issues={issues} />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onOpen={onClose}
      title={t("closeTitle", { no: incident.no })}
      verb={t("close")}
      busy={close.isPending}
      error={close.error ? text(close.error) : undefined}
      onConfirm={() => close.mutate({ id: incident.id, revision: incident.revision })}
    >
      {t("closeBody")}
    </ConfirmDialog>
  );
}

function useDone(title: string, onClose: () => void) {
  const refresh = useRefresh();
  return {
    onSuccess: () => {
      refresh();
      onClose();
      notify({ title });
    },
    onError: refresh,
  };
}
