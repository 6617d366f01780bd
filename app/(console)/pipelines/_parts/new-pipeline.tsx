"use client";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { PageHeader } from "@/app/_ui/page-header";
import { pipelineNameSchema } from "@/server/domain/pipeline/definition";
import { nameFrom } from "../../_query/name-from";
import { useFailureText } from "../../_query/use-failure-text";

interface NewPipelineProps {
  projectId: string;
  /** Who looks: the owner unless they name another. */
  owner: string;
}

/** Asks for no more than what cannot be changed later, then opens the editor. */
export function NewPipeline({ projectId, owner }: NewPipelineProps) {
  const t = useTranslations("pipelines.create");
  const router = useRouter();
  const trpc = useTRPC();
  const text = useFailureText();
  const [title, setTitle] = useState("");
  const [ownName, setOwnName] = useState<string | null>(null);
  const [team, setTeam] = useState(owner);
  const [tried, setTried] = useState(false);
  const name = ownName ?? nameFrom(title);
  const create = useMutation(trpc.pipelines.create.mutationOptions());
  const refused = failureOf(create.error);
  const atName = refused?.issues.find(({ path }) => path === "name");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (title.trim() === "" || !pipelineNameSchema.safeParse(name).success) return;
    create.mutate(
      { projectId, name, title: title.trim(), ...(team.trim() === "" ? {} : { owner: team.trim() }) },
      { onSuccess: ({ pipelineId }) => router.push(`/pipelines/${pipelineId}/edit`) },
    );
  };

  return (
    <>
      <PageHeader trail={<Link href="/pipelines">{t("trail")}</Link>} title={t("title")} meta={t("lead")} />
      <form onSubmit={submit} noValidate className="flex max-w-lg flex-col gap-4 px-4 pb-8 md:px-6">
        <Field label={t("pipelineTitle")} hint={t("titleHint")} error={tried && title.trim() === "" ? t("titleMissing") : undefined}>
          <Input
            autoFocus
            size="lg"
            maxLength={200}
            value={title}
            onChange={(event) => {
              setTitle(event.target.value);
              create.reset();
            }}
          />
        </Field>
        <Field label={t("name")} hint={t("nameHint")} error={nameError(t, { name, tried, taken: atName !== undefined })}>
          <Input
            mono
            size="lg"
            maxLength={64}
            value={name}
            onChange={(event) => {
              setOwnName(event.target.value);
              create.reset();
            }}
          />
        </Field>
        <Field optional label={t("owner")} hint={t("ownerHint")}>
          <Input size="lg" maxLength={200} value={team} onChange={(event) => setTeam(event.target.value)} />
        </Field>
        {create.error && !atName ? (
          <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
            {text(create.error)}
          </p>
        ) : null}
        <div className="flex gap-2 pt-1">
          <Button type="submit" look="primary" size="lg" busy={create.isPending || create.isSuccess}>
            {t("verb")}
          </Button>
          <Button asChild size="lg" look="quiet">
            <Link href="/pipelines">{t("cancel")}</Link>
          </Button>
        </div>
      </form>
    </>
  );
}

function nameError(t: ReturnType<typeof useTranslations<"pipelines.create">>, at: { name: string; tried: boolean; taken: boolean }) {
  if (at.taken) return t("nameTaken", { name: at.name });
  const wrong = at.name === "" ? at.tried : !pipelineNameSchema.safeParse(at.name).success;
  return wrong ? t("nameWrong") : undefined;
}
