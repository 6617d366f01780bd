"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Panel } from "@/app/_ui/panel";
import { useAddress } from "../../_query/use-address";
import { CheckRow } from "./check-row";
import { type Subject, useChecks } from "./use-checks";
import type { CheckResult } from "./views";

const SUBJECT = ["code", "run", "node", "worker"] as const;

/** What the checks are about, and the checks; each is made on a press, and what it is about stands in the address. */
export function CheckList({ projectId, checks }: { projectId: string; checks: readonly CheckResult["check"][] }) {
  const t = useTranslations("playbooks");
  const { read, write } = useAddress();
  const subject = subjectOf(read);
  const isNamed = Object.keys(subject).length > 0;
  const { looks, make } = useChecks(projectId, subject);
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
          <Button size="sm" look="primary" disabled={!isNamed} onClick={() => checks.forEach(make)}>
            {t("checks.all")}
          </Button>
        }
      >
        <ol className="flex flex-col">
          {checks.map((name) => (
            <CheckRow key={name} name={name} look={looks[name]} onLook={() => make(name)} />
          ))}
        </ol>
      </Panel>
    </div>
  );
}

/** Only what is named. */
const subjectOf = (read: (name: string) => string): Subject => ({
  ...(read("code") === "" ? {} : { code: read("code") }),
  ...(read("run") === "" ? {} : { runId: read("run") }),
  ...(read("node") === "" ? {} : { nodeKey: read("node") }),
  ...(read("worker") === "" ? {} : { workerId: read("worker") }),
});
