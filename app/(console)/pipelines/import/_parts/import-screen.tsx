"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useZone } from "@/app/_ui/clock";
import { PageHeader } from "@/app/_ui/page-header";
import { useFailureText } from "../../../_query/use-failure-text";
import { ImportDone } from "./import-result";
import { PreviewScreen } from "./preview-screen";
import { type Source, SourceForm } from "./source-form";
import type { ImportResult, Preview } from "./views";

interface ImportScreenProps {
  projectId: string;
  owner: string;
}

type Step =
  | { readonly kind: "source" }
  | { readonly kind: "preview"; readonly preview: Preview; readonly nowMs: number }
  | { readonly kind: "done"; readonly result: ImportResult };

/** Paste, look, confirm: nothing is made before the last of the three. */
export function ImportScreen({ projectId, owner }: ImportScreenProps) {
  const t = useTranslations("imports");
  const locale = useLocale();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const text = useFailureText();
  const { zone } = useZone();
  const [source, setSource] = useState<Source>({ text: "", form: "auto", timezone: zone });
  const [step, setStep] = useState<Step>({ kind: "source" });
  const look = useMutation({
    mutationFn: () =>
      queryClient.fetchQuery({ ...trpc.imports.previewCrontab.queryOptions({ projectId, locale, ...source }), staleTime: 0, gcTime: 0 }),
    onSuccess: (preview) => setStep({ kind: "preview", preview, nowMs: Date.now() }),
  });

  return (
    <div className="flex min-h-full flex-col">
      <PageHeader trail={<Link href="/pipelines">{t("trail")}</Link>} title={t("title")} meta={t(`lead.${step.kind}`)} />
      {step.kind === "source" ? (
        <SourceForm
          source={source}
          onSource={(next) => {
            setSource(next);
            look.reset();
          }}
          onPreview={() => look.mutate()}
          busy={look.isPending}
          error={look.error ? text(look.error) : null}
        />
      ) : null}
      {step.kind === "preview" ? (
        <PreviewScreen
          projectId={projectId}
          source={source}
          preview={step.preview}
          owner={owner}
          nowMs={step.nowMs}
          onBack={() => setStep({ kind: "source" })}
          onDone={(result) => setStep({ kind: "done", result })}
        />
      ) : null}
      {step.kind === "done" ? (
        <ImportDone
          result={step.result}
          onAgain={() => {
            setSource({ ...source, text: "" });
            setStep({ kind: "source" });
          }}
        />
      ) : null}
    </div>
  );
}
