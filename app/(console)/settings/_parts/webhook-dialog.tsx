"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { EVENT_TYPES, wants } from "@/server/domain/webhooks/told-events";
import type { Outputs } from "../../_query/outputs";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { WebhookSecret } from "./webhook-secret";

type Webhook = Outputs["webhooks"]["list"][number];

interface WebhookDialogProps {
  projectId: string;
  /** Null for a new one. */
  webhook: Webhook | null;
  onClose: () => void;
}

/** Makes or changes a webhook; of a new one its secret is shown, once. */
export function WebhookDialog({ projectId, webhook, onClose }: WebhookDialogProps) {
  const t = useTranslations("settings.webhooks");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState("");
  const [patterns, setPatterns] = useState(webhook?.events.join(", ") ?? "run.failed, node.to_review, alert.*, incident.*");
  const events = patterns.split(/[\s,]+/).filter((each) => each !== "");
  const create = useMutation(trpc.webhooks.create.mutationOptions({ onSuccess: refresh }));
  const change = useMutation(
    trpc.webhooks.change.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
    }),
  );
  if (create.data) return <WebhookSecret name={name} secret={create.data.secret} onClose={onClose} />;
  const given = { name: name.trim(), events };
  const error = create.error ?? change.error;
  const address = url.trim();
  return (
    <FormDialog
      title={webhook ? t("changeName", { name: webhook.name }) : t("add")}
      verb={webhook ? t("change") : t("add")}
      busy={create.isPending || change.isPending}
      disabled={given.name === "" || events.length === 0 || (webhook === null && address === "")}
      error={error ? text(error) : null}
      onClose={onClose}
      onSubmit={() =>
        webhook
          ? change.mutate({ id: webhook.id, revision: webhook.revision, ...given, ...(address === "" ? {} : { url: address }) })
          : create.mutate({ projectId, ...given, url: address })
      }
    >
      <Field label={t("name")}>
        <Input maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("url")} hint={webhook ? t("urlStays", { target: webhook.target }) : t("urlHint")}>
        <Input mono maxLength={2_000} value={url} onChange={(event) => setUrl(event.target.value)} />
      </Field>
      <Field
        label={t("events")}
        hint={t("means", { n: EVENT_TYPES.filter((type) => wants(events, type)).length, all: EVENT_TYPES.length })}
      >
        <Input mono value={patterns} onChange={(event) => setPatterns(event.target.value)} />
      </Field>
      <p className="text-ink-3 text-meta">{EVENT_TYPES.join(" · ")}</p>
    </FormDialog>
  );
}
