"use client";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { IconButton } from "@/app/_ui/icon-button";
import { Panel } from "@/app/_ui/panel";
import { Select } from "@/app/_ui/select";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import type { TaskClass } from "@/server/domain/alert/task-class";
import { usePolicySaver } from "./use-policy";
import type { PolicyPart } from "./views";
import { isWeekTimes, WeekFields, WeekLine } from "./week-fields";

const MOST_PIPELINES = 200;
const CHOICES = ["core", "long_running"] as const satisfies readonly TaskClass[];
type Classed = { readonly id: string; readonly taskClass: TaskClass };

/** How much a pipeline's failures matter, and when people work. */
export function ClassPanel({ projectId, policy, revision, may }: PolicyPart) {
  const t = useTranslations("alerts.rules");
  const trpc = useTRPC();
  const [open, setOpen] = useState<"class" | "hours" | null>(null);
  const saver = usePolicySaver(projectId, revision, () => setOpen(null));
  const pipelines = useQuery(trpc.pipelines.list.queryOptions({ projectId, limit: MOST_PIPELINES })).data?.items ?? [];
  const titleOf = (id: string) => pipelines.find((pipeline) => pipeline.id === id)?.title ?? id;
  const rows = Object.entries(policy.classes).map(([id, taskClass]): Classed => ({ id, taskClass }));
  const columns: readonly Column<Classed>[] = [
    { key: "pipeline", head: t("pipeline"), cell: (row) => <span className="font-medium">{titleOf(row.id)}</span> },
    { key: "class", head: t("class"), width: "min(24rem, 55vw)", cell: (row) => t(`classes.${row.taskClass}`) },
    ...(may
      ? [
          {
            key: "act",
            head: "",
            name: t("remove"),
            width: "3.5rem",
            align: "end" as const,
            cell: (row: Classed) => (
              <IconButton
                size="sm"
                label={t("removeName", { name: titleOf(row.id) })}
                disabled={saver.busy}
                icon={<Trash2 size={13} aria-hidden="true" />}
                onClick={() =>
                  saver.save({ ...policy, classes: Object.fromEntries(Object.entries(policy.classes).filter(([id]) => id !== row.id)) })
                }
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Panel
      title={t("taskClasses")}
      note={t("taskClassesNote")}
      actions={
        may ? (
          <Button size="sm" onClick={() => setOpen("class")}>
            <Plus size={13} aria-hidden="true" />
            {t("setClass")}
          </Button>
        ) : null
      }
    >
      <p className="flex items-center gap-2 py-1 text-ink-2 text-table">
        {t("workingHours")}
        <WeekLine times={policy.workingHours} />
        {may ? (
          <IconButton size="sm" label={t("changeHours")} icon={<Pencil size={13} aria-hidden="true" />} onClick={() => setOpen("hours")} />
        ) : null}
      </p>
      {saver.error && open === null ? <p className="py-2 text-state-failed text-table">{saver.error}</p> : null}
      <Table
        label={t("taskClasses")}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          <EmptyState compact className="px-0 py-3 md:px-0" title={t("noClasses")}>
            {t("noClassesBody")}
          </EmptyState>
        }
      />
      {open === "hours" ? <HoursDialog policy={policy} saver={saver} onClose={() => setOpen(null)} /> : null}
      {open === "class" ? <ClassDialog policy={policy} saver={saver} pipelines={pipelines} onClose={() => setOpen(null)} /> : null}
    </Panel>
  );
}

type DialogPart = Pick<PolicyPart, "policy"> & { saver: ReturnType<typeof usePolicySaver>; onClose: () => void };

function HoursDialog({ policy, saver, onClose }: DialogPart) {
  const t = useTranslations("alerts.rules");
  const [times, setTimes] = useState(policy.workingHours);
  return (
    <FormDialog
      title={t("changeHours")}
      lead={t("hoursLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={!isWeekTimes(times)}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => saver.save({ ...policy, workingHours: times })}
    >
      <WeekFields times={times} onTimes={setTimes} />
    </FormDialog>
  );
}

function ClassDialog({ policy, saver, pipelines, onClose }: DialogPart & { pipelines: readonly { id: string; title: string }[] }) {
  const t = useTranslations("alerts.rules");
  const [pipelineId, setPipelineId] = useState<string | undefined>(undefined);
  const [taskClass, setTaskClass] = useState<(typeof CHOICES)[number]>("core");
  return (
    <FormDialog
      title={t("setClass")}
      lead={t("classLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={pipelineId === undefined}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => {
        if (pipelineId !== undefined) saver.save({ ...policy, classes: { ...policy.classes, [pipelineId]: taskClass } });
      }}
    >
      <Field label={t("pipeline")}>
        <Select value={pipelineId} onValue={setPipelineId} options={pipelines.map(({ id, title }) => ({ value: id, label: title }))} />
      </Field>
      <Field label={t("class")}>
        <Select value={taskClass} onValue={setTaskClass} options={CHOICES.map((value) => ({ value, label: t(`classes.${value}`) }))} />
      </Field>
    </FormDialog>
  );
}
