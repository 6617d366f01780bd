"use client";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";
import { Mono } from "@/app/_ui/mono";
import { Panel } from "@/app/_ui/panel";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
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
    ...(may
      ? [
          {
            key: "act",
            head: "",
            name: t("remove"),
            width: "3.5rem",
            align: "end" as const,
            cell: (row: Window) => (
              <IconButton
                size="sm"
                label={t("removeName", { name: row.name })}
                disabled={saver.busy}
                icon={<Trash2 size={13} aria-hidden="true" />}
                onClick={() => put(policy.windows.filter(({ id }) => id !== row.id))}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Panel
      title={t("windows")}
      note={t("windowsNote")}
      actions={
        may ? (
          <Button size="sm" onClick={() => setAdding(true)}>
            <Plus size={13} aria-hidden="true" />
            {t("addWindow")}
          </Button>
        ) : null
      }
    >
      {saver.error && !adding ? <p className="py-2 text-state-failed text-table">{saver.error}</p> : null}
      <Table
        label={t("windows")}
        columns={columns}
        rows={policy.windows}
        keyOf={({ id }) => id}
        empty={
          <EmptyState compact className="px-0 py-3 md:px-0" title={t("noWindows")}>
            {t("noWindowsBody")}
          </EmptyState>
        }
      />
      {adding ? (
        <AddWindow
          zone={policy.workingHours.zone}
          saver={saver}
          onClose={() => setAdding(false)}
          onSave={(added) => put([...policy.windows, { ...added, id: freeId(added.name, policy.windows) }])}
        />
      ) : null}
    </Panel>
  );
}

interface AddWindowProps {
  zone: string;
  saver: PolicySaver;
  onSave: (added: Omit<Window, "id">) => void;
  onClose: () => void;
}

function AddWindow({ zone, saver, onSave, onClose }: AddWindowProps) {
  const t = useTranslations("alerts.rules");
  const [name, setName] = useState("");
  const [pattern, setPattern] = useState("*");
  const [times, setTimes] = useState({ zone, days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "02:00" });
  return (
    <FormDialog
      title={t("addWindow")}
      lead={t("windowLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={name.trim() === "" || pattern.trim() === "" || !isWeekTimes(times)}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => onSave({ name: name.trim(), pattern: pattern.trim(), times })}
    >
      <Field label={t("name")}>
        <Input maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("pattern")} hint={t("patternHint")}>
        <Input mono autoComplete="off" maxLength={64} value={pattern} onChange={(event) => setPattern(event.target.value.toUpperCase())} />
      </Field>
      <WeekFields times={times} onTimes={setTimes} />
    </FormDialog>
  );
}
