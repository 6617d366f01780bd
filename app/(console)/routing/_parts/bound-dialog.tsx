"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { boundSchema } from "@/server/domain/valve/bound";
import type { Outputs } from "../../_query/outputs";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

type BoundView = Outputs["routing"]["bound"];

const NUMBERS = ["percent", "windowMinutes", "minimum", "rate", "successes"] as const;
type Numbers = Record<(typeof NUMBERS)[number], string>;

/** How often a task may fail before its new work waits for a person (EXC-10); who may not change it reads it. */
export function BoundButton({ projectId, mayEdit }: { projectId: string; mayEdit: boolean }) {
  const t = useTranslations("routing.bound");
  const trpc = useTRPC();
  const found = useQuery(trpc.routing.bound.queryOptions({ projectId }));
  const [open, setOpen] = useState(false);
  if (!found.data) return null;
  const { bound } = found.data;
  const text = bound.enabled ? t("on", { percent: bound.percent, minutes: bound.windowMinutes }) : t("off");
  if (!mayEdit) return <span className="text-ink-2 text-table">{text}</span>;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text}</Button>
      {open ? <BoundDialog projectId={projectId} view={found.data} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function BoundDialog({ projectId, view, onClose }: { projectId: string; view: BoundView; onClose: () => void }) {
  const t = useTranslations("routing.bound");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [enabled, setEnabled] = useState(view.bound.enabled);
  const [numbers, setNumbers] = useState<Numbers>(() => ({
    percent: String(view.bound.percent),
    windowMinutes: String(view.bound.windowMinutes),
    minimum: String(view.bound.minimum),
    rate: String(view.bound.rate),
    successes: String(view.bound.successes),
  }));
  const parsed = boundSchema.safeParse({
    enabled,
    ...Object.fromEntries(NUMBERS.map((name) => [name, numbers[name].trim() === "" ? Number.NaN : Number(numbers[name])])),
  });
  const wrong = new Set(parsed.error?.issues.map(({ path }) => path[0]));
  const save = useMutation(
    trpc.routing.setBound.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("title")}
      lead={t("lead")}
      verb={t("verb")}
      width="sm"
      busy={save.isPending}
      error={save.error ? text(save.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (parsed.success) save.mutate({ projectId, bound: parsed.data, revision: view.revision });
      }}
    >
      <Checkbox checked={enabled} onChecked={setEnabled} hint={view.updatedBy === null ? undefined : t("by", { who: view.updatedBy })}>
        {t("enabled")}
      </Checkbox>
      {NUMBERS.map((name) => {
        const { minValue: min, maxValue: max } = boundSchema.shape[name];
        return (
          <Field key={name} label={t(name)} error={wrong.has(name) ? t("wrong", { min: min ?? 1, max: max ?? 1 }) : undefined}>
            <Input
              mono
              inputMode="numeric"
              value={numbers[name]}
              onChange={({ target }) => setNumbers((before) => ({ ...before, [name]: target.value }))}
            />
          </Field>
        );
      })}
    </FormDialog>
  );
}
