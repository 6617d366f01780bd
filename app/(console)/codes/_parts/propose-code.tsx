"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { notify } from "@/app/_ui/toast";
import { isErrorCode } from "@/server/domain/errors/code";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { areComplete, CodeFields, type Facts, NO_FACTS } from "./code-fields";

interface ProposeCodeProps {
  projectId: string;
  /** From the inbox; empty where it is thought up. */
  code: string;
  reviewers: number;
  onClose: () => void;
}

/** A new code with all that the register asks for; near ones are shown before it is sent again. */
export function ProposeCode({ projectId, code: first, reviewers, onClose }: ProposeCodeProps) {
  const t = useTranslations("codes.form");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const router = useRouter();
  const [code, setCode] = useState(first);
  const [facts, setFacts] = useState<Facts>(NO_FACTS);
  const [isNoDuplicate, setNoDuplicate] = useState(false);
  const propose = useMutation(
    trpc.codes.propose.mutationOptions({
      onSuccess: (made) => {
        refresh();
        onClose();
        notify({ title: t(made.state === "registered" ? "registered" : "proposed", { code: made.code }) });
        router.push(`/codes/${made.code}`);
      },
    }),
  );
  const failure = failureOf(propose.error);
  const near = nearOf(failure?.details);
  const errorAt = (path: string) => failure?.issues.find((issue) => issue.path === path)?.message;
  return (
    <FormDialog
      width="lg"
      title={t("propose")}
      lead={t("proposeLead", { n: reviewers })}
      verb={t("propose")}
      busy={propose.isPending}
      disabled={!isErrorCode(code) || !areComplete(facts) || (near.length > 0 && !isNoDuplicate)}
      error={propose.error && near.length === 0 && (failure?.issues.length ?? 0) === 0 ? text(propose.error) : null}
      onClose={onClose}
      onSubmit={() => propose.mutate({ projectId, code, facts, isNoDuplicate })}
    >
      <Field label={t("code")} hint={t("codeHint")} error={errorAt("code")}>
        <Input
          mono
          maxLength={64}
          autoComplete="off"
          value={code}
          onChange={(event) => {
            setCode(event.target.value.toUpperCase().replace(/[^A-Z0-9_]/g, "_"));
            setNoDuplicate(false);
            propose.reset();
          }}
        />
      </Field>
      {near.length > 0 ? (
        <div ref={intoView} role="alert" className="flex flex-col gap-2 border-state-retrying border-l-2 pl-2 text-table">
          <p>{t("near", { codes: near.join(", ") })}</p>
          <Checkbox checked={isNoDuplicate} onChecked={setNoDuplicate}>
            {t("noDuplicate")}
          </Checkbox>
        </div>
      ) : null}
      <CodeFields facts={facts} onFacts={setFacts} errorAt={(name) => errorAt(`facts.${name}`)} />
    </FormDialog>
  );
}

/** The form is long: whoever pressed at its end must see what came at its start. */
const intoView = (note: HTMLElement | null) => note?.scrollIntoView({ block: "center" });

function nearOf(details: Readonly<Record<string, unknown>> | undefined): string[] {
  const near = details?.near;
  if (!Array.isArray(near)) return [];
  return near.flatMap((one: unknown) => (typeof one === "object" && one !== null && "code" in one ? [String(one.code)] : []));
}
