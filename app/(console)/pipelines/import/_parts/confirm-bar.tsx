"use client";
import { useMutation } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Segmented } from "@/app/_ui/segmented";
import { useFailureText } from "../../../_query/use-failure-text";
import { type Choices, lackingZone, selectionOf } from "./model/choices";
import type { Source } from "./source-form";
import type { ImportResult, Preview } from "./views";

interface ConfirmBarProps {
  projectId: string;
  source: Source;
  preview: Preview;
  choices: Choices;
  offered: number;
  owner: string;
  onDone: (result: ImportResult) => void;
}

const DOMAIN = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Whose they are, whether they fire at once, and the one button that makes them. */
export function ConfirmBar({ projectId, source, preview, choices, owner, onDone }: ConfirmBarProps) {
  const t = useTranslations("imports.confirm");
  const locale = useLocale();
  const trpc = useTRPC();
  const text = useFailureText();
  const [team, setTeam] = useState(owner);
  const [domain, setDomain] = useState("CRON");
  const [enabled, setEnabled] = useState<FireFrom>("off");
  const make = useMutation(trpc.imports.importCrontab.mutationOptions({ onSuccess: onDone }));
  const selection = selectionOf(preview, choices);
  const lacking = lackingZone(preview, choices);
  const domainWrong = !DOMAIN.test(domain);
  const [mail] = preview.alertAddresses;

  const confirm = () =>
    make.mutate({
      projectId,
      ...source,
      locale,
      selection,
      domain,
      enabled: enabled === "on",
      ...(team.trim() === "" ? {} : { owner: team.trim() }),
    });

  return (
    <div className="bottom-0 z-10 flex flex-col sm:sticky gap-2 border-line-strong border-t bg-panel px-4 py-3 md:px-6">
      {make.error ? (
        <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
          {text(make.error)}
        </p>
      ) : null}
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <Field
          label={t("owner")}
          className="w-56 max-sm:w-full"
          aside={
            mail && team !== mail ? (
              <button
                type="button"
                onClick={() => setTeam(mail)}
                className="max-w-40 truncate underline decoration-line-strong underline-offset-3"
              >
                {t("useMail", { mail })}
              </button>
            ) : null
          }
        >
          <Input maxLength={200} value={team} onChange={(event) => setTeam(event.target.value)} />
        </Field>
        <Field label={t("domain")} className="w-32" error={domainWrong ? t("domainWrong") : undefined}>
          <Input mono maxLength={32} value={domain} onChange={(event) => setDomain(event.target.value.toUpperCase())} />
        </Field>
        <WhenToFire value={enabled} onValue={setEnabled} />
        <div className="ml-auto flex flex-col items-end gap-1 max-sm:w-full">
          {lacking.length > 0 ? (
            <p className="text-meta text-state-failed">{t("lacking", { lines: lacking.slice(0, 5).join(", ") })}</p>
          ) : null}
          <Button
            look="primary"
            size="lg"
            className="max-sm:w-full"
            busy={make.isPending}
            disabled={selection.length === 0 || lacking.length > 0 || domainWrong}
            onClick={confirm}
          >
            {t("verb", { n: selection.length })}
          </Button>
        </div>
      </div>
    </div>
  );
}

type FireFrom = "off" | "on";

function WhenToFire({ value, onValue }: { value: FireFrom; onValue: (value: FireFrom) => void }) {
  const t = useTranslations("imports.confirm");
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <Segmented<FireFrom>
        label={t("enabled")}
        className="self-start"
        value={value}
        onValue={onValue}
        options={[
          { value: "off", label: t("off") },
          { value: "on", label: t("on") },
        ]}
      />
      <p className="text-ink-3 text-meta">{t(value === "on" ? "onHint" : "offHint")}</p>
    </div>
  );
}
