"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { notify } from "@/app/_ui/toast";
import { roleAllows } from "@/server/domain/access/roles";
import { type IncidentEvent, isOngoing, nextState } from "@/server/domain/incident/transitions";
import { useRoleIn } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { AssignDialog, EscalateDialog } from "./hand-over-dialogs";
import { CloseDialog, ReopenDialog, ResolveDialog } from "./state-dialogs";
import type { IncidentDetails } from "./views";

type Act = "assign" | "escalate" | "resolve" | "reopen" | "close";

/** What can be done about an incident now; the one that matters most stands last. */
export function IncidentActs({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.act");
  const role = useRoleIn(incident.projectId);
  const [act, setAct] = useState<Act | null>(null);
  const close = () => setAct(null);
  const may = (event: IncidentEvent) =>
    role !== null &&
    roleAllows(role, event === "close" ? "incident.close" : "incident.handle") &&
    nextState(incident.state, event) !== null;
  const mayHandle = role !== null && roleAllows(role, "incident.handle");
  return (
    <>
      <ExportButton incident={incident} />
      {mayHandle ? <Button onClick={() => setAct("assign")}>{t("assign")}</Button> : null}
      {mayHandle && isOngoing(incident.state) && incident.severity !== "P0" ? (
        <Button onClick={() => setAct("escalate")}>{t("escalate")}</Button>
      ) : null}
      {may("reopen") ? <Button onClick={() => setAct("reopen")}>{t("reopen")}</Button> : null}
      {may("resolve") ? (
        <Button look={may("acknowledge") ? "plain" : "primary"} onClick={() => setAct("resolve")}>
          {t("resolve")}
        </Button>
      ) : null}
      {may("acknowledge") ? <AcknowledgeButton incident={incident} /> : null}
      {may("close") ? (
        <Button look="primary" onClick={() => setAct("close")}>
          {t("close")}
        </Button>
      ) : null}
      {act === "assign" ? <AssignDialog incident={incident} onClose={close} /> : null}
      {act === "escalate" ? <EscalateDialog incident={incident} onClose={close} /> : null}
      {act === "resolve" ? <ResolveDialog incident={incident} onClose={close} /> : null}
      {act === "reopen" ? <ReopenDialog incident={incident} onClose={close} /> : null}
      {act === "close" ? <CloseDialog incident={incident} onClose={close} /> : null}
    </>
  );
}

function AcknowledgeButton({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const acknowledge = useMutation(
    trpc.incidents.acknowledge.mutationOptions({
      onSuccess: () => {
        refresh();
        notify({ title: t("acknowledged", { no: incident.no }) });
      },
      onError: (error) => {
        refresh();
        notify({ tone: "bad", title: text(error) });
      },
    }),
  );
  return (
    <Button
      look="primary"
      busy={acknowledge.isPending}
      onClick={() => acknowledge.mutate({ id: incident.id, revision: incident.revision })}
    >
      {t("acknowledge")}
    </Button>
  );
}

function ExportButton({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const text = useFailureText();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      saveMarkdown(
        await queryClient.fetchQuery({ ...trpc.incidents.markdown.queryOptions({ id: incident.id }), staleTime: 0 }),
        incident.no,
      );
    } catch (error) {
      notify({ tone: "bad", title: t("exportFailed"), detail: text(error) });
    }
    setBusy(false);
  };
  return (
    <Button busy={busy} onClick={() => void save()}>
      <Download size={13} aria-hidden="true" />
      {t("export")}
    </Button>
  );
}

function saveMarkdown(markdown: string, no: number): void {
  const address = URL.createObjectURL(new Blob([markdown], { type: "text/markdown;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `incident-${no}.md`;
  link.click();
  URL.revokeObjectURL(address);
}
