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
import { isWeekTimes, WeekFields, WeekLine } from "./week-fields";

type Window = Policy["windows"][number];

/** Hours in which failing is expected: what falls into them is P4. */
export function WindowPanel({ projectId, policy, revision, may }: PolicyPart) {
  const t = useTranslations("alerts.rules");
  const [adding, setAdding] = useState(false);
  const saver = usePolicySaver(projectId, revision, () => setAdding(false));
  const put = (windows: Policy["windows"]) => saver.save({ ...policy, windows });
  const columns: readonly Column<Window>[] = [
    { key: "name", head: t("name"), width: "min(14rem, 30vw)", cell: (row) => <span className="font-medium">{row.name}</span> },
    { key: "pattern", head: t("pattern"), width: "12rem", from: "md", cell: (row) => <Mono>{row.pattern}</Mono> },
    { key: "times", head: t("times"), cell: (row) => <WeekLine times={row.times} /> },
  ];
  return (
    <PolicyListPanel
      title={t("windows")}
      note={t("windowsNote")}
      rows={policy.windows}
      columns={columns}
      nameOf={({ name }) => name}
      empty={{ title: t("noWindows"), body: t("noWindowsBody") }}
      add={t("addWindow")}
      may={may}
      busy={saver.busy}
      error={adding ? null : saver.error}
      onAdd={() => setAdding(true)}
      onKeep={put}
    >
      {adding ? (
        <AddWindow
          projectId={projectId}
          zone={policy.workingHours.zone}
          saver={saver}
          policyWith={(added) => ({ ...policy, windows: [...policy.windows, { ...added, id: freeId(added.name, policy.windows) }] })}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </PolicyListPanel>
  );
}

interface AddWindowProps {
  projectId: string;
  zone: string;
  saver: PolicySaver;
  policyWith: (added: Omit<Window, "id">) => Policy;
  onClose: () => void;
}

function AddWindow({ projectId, zone, saver, policyWith, onClose }: AddWindowProps) {
  const t = useTranslations("alerts.rules");
  const [name, setName] = useState("");
  const [pattern, setPattern] = useState("*");
  const [times, setTimes] = useState({ zone, days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "02:00" });
  const edited = policyWith({ name: name.trim(), pattern: pattern.trim(), times });
  const wrong = name.trim() === "" || pattern.trim() === "" || !isWeekTimes(times);
  return (
    <FormDialog
      title={t("addWindow")}
      lead={t("windowLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={wrong}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => saver.save(edited)}
    >
      <Field label={t("name")}>
        <Input maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("pattern")} hint={t("patternHint")}>
        <Input mono autoComplete="off" maxLength={64} value={pattern} onChange={(event) => setPattern(event.target.value.toUpperCase())} />
      </Field>
      <WeekFields times={times} onTimes={setTimes} />
      <TryPolicy projectId={projectId} policy={edited} disabled={wrong} />
    </FormDialog>
  );
}
