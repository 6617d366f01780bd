"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Mono } from "@/app/_ui/mono";
import type { Column } from "@/app/_ui/table-column";
import { PolicyListPanel } from "./policy-list-panel";
import { TryPolicy } from "./try-policy";
import { freeId, type PolicySaver, usePolicySaver } from "./use-policy";
import type { Policy, PolicyPart } from "./views";

type Inhibition = Policy["inhibitions"][number];
const EXAMPLE_CAUSE = "DB_*";
const EXAMPLE_TARGETS = "ORDER_* PAY_*";

/** What follows from what: while a cause is active, its consequences page nobody. */
export function InhibitionPanel({ projectId, policy, revision, may }: PolicyPart) {
  const t = useTranslations("alerts.rules");
  const [adding, setAdding] = useState(false);
  const saver = usePolicySaver(projectId, revision, () => setAdding(false));
  const put = (inhibitions: Policy["inhibitions"]) => saver.save({ ...policy, inhibitions });
  const columns: readonly Column<Inhibition>[] = [
    { key: "cause", head: t("cause"), width: "min(16rem, 36vw)", cell: (row) => <Mono>{row.cause}</Mono> },
    { key: "targets", head: t("targets"), cell: (row) => <Mono>{row.targets.join("  ")}</Mono> },
    { key: "minutes", head: t("minutes"), width: "7rem", align: "end", from: "sm", cell: (row) => t("minutesOf", { n: row.minutes }) },
  ];
  return (
    <PolicyListPanel
      title={t("inhibitions")}
      note={t("inhibitionsNote")}
      rows={policy.inhibitions}
      columns={columns}
      nameOf={({ cause }) => cause}
      empty={{ title: t("noInhibitions"), body: t("noInhibitionsBody") }}
      add={t("addInhibition")}
      may={may}
      busy={saver.busy}
      error={adding ? null : saver.error}
      onAdd={() => setAdding(true)}
      onKeep={put}
    >
      {adding ? (
        <AddInhibition
          projectId={projectId}
          saver={saver}
          policyWith={(added) => ({
            ...policy,
            inhibitions: [...policy.inhibitions, { ...added, id: freeId(added.cause, policy.inhibitions) }],
          })}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </PolicyListPanel>
  );
}

interface AddInhibitionProps {
  projectId: string;
  saver: PolicySaver;
  policyWith: (added: Omit<Inhibition, "id">) => Policy;
  onClose: () => void;
}

function AddInhibition({ projectId, saver, policyWith, onClose }: AddInhibitionProps) {
  const t = useTranslations("alerts.rules");
  const [cause, setCause] = useState("");
  const [targets, setTargets] = useState("");
  const [minutes, setMinutes] = useState("10");
  const list = targets.split(/[\s,|]+/).filter((each) => each !== "");
  const number = Number(minutes);
  const minutesWrong = !(Number.isInteger(number) && number >= 1 && number <= 1_440);
  const edited = policyWith({ cause: cause.trim(), targets: list, minutes: number });
  const wrong = cause.trim() === "" || list.length === 0 || minutesWrong;
  return (
    <FormDialog
      title={t("addInhibition")}
      lead={t("inhibitionLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={wrong}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => saver.save(edited)}
    >
      <Field label={t("cause")} hint={t("patternHint")}>
        <Input
          mono
          autoComplete="off"
          maxLength={64}
          placeholder={EXAMPLE_CAUSE}
          value={cause}
          onChange={(event) => setCause(event.target.value.toUpperCase())}
        />
      </Field>
      <Field label={t("targets")} hint={t("targetsHint")}>
        <Input
          mono
          autoComplete="off"
          maxLength={1_000}
          placeholder={EXAMPLE_TARGETS}
          value={targets}
          onChange={(event) => setTargets(event.target.value.toUpperCase())}
        />
      </Field>
      <Field label={t("minutes")} error={minutesWrong ? t("minutesWrong") : undefined}>
        <Input inputMode="numeric" maxLength={4} value={minutes} onChange={(event) => setMinutes(event.target.value)} />
      </Field>
      <TryPolicy projectId={projectId} policy={edited} disabled={wrong} />
    </FormDialog>
  );
}
