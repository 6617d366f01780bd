"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Panel } from "@/app/_ui/panel";
import { useAddress } from "../../_query/use-address";
import { CheckRow } from "./check-row";
import type { CheckResult } from "./views";

const SUBJECT = ["code", "run", "node", "worker"] as const;

/** What the checks are about, and the checks; each is made on a press, and what it is about stands in the address. */
export function CheckList({ projectId, checks }: { projectId: string; checks: readonly CheckResult["check"][] }) {
  const t = useTranslations("playbooks");
  const { read, write } = useAddress();
  const subject = {
    code: read("code") || undefined,
    runId: read("run") || undefined,
    nodeKey: read("node") || undefined,
    workerId: read("worker") || undefined,
  };
  const isNamed = Object.values(subject).some((value) => value !== undefined);
  // Raised by the button for all of them: each check then looks by itself.
  const [allAt, setAllAt] = useState(0);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Panel title={t("subject.title")}>
        <p className="mb-3 text-ink-2 text-table">{t("subject.lead")}</p>
        <div className="grid gap-3 sm:grid-cols-2">
          {SUBJECT.map((name) => (
            <Field key={name} label={t(`subject.${name}`)} optional>
              <Input
                mono
                autoComplete="off"
                defaultValue={read(name)}
                onBlur={(event) => write({ [name]: event.target.value.trim() })}
                onKeyDown={(event) => {
                  if (event.key === "Enter") write({ [name]: event.currentTarget.value.trim() });
                }}
              />
            </Field>
          ))}
        </div>
      </Panel>
      <Panel
        title={t("checks.title")}
        note={t("checks.note")}
        actions={
          <Button size="sm" look="primary" disabled={!isNamed} onClick={() => setAllAt(allAt + 1)}>
            {t("checks.all")}
          </Button>
        }
      >
        <ol className="flex flex-col">
          {checks.map((name) => (
            // Another subject, and what was found of the one before is gone.
            <CheckRow key={`${name}/${JSON.stringify(subject)}`} projectId={projectId} name={name} subject={subject} allAt={allAt} />
          ))}
        </ol>
      </Panel>
    </div>
  );
}
