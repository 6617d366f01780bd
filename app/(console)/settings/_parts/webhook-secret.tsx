"use client";
import { useTranslations } from "next-intl";
import { ShownOnce } from "./shown-once";

/** A signing secret, for the only time. */
export function WebhookSecret({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const t = useTranslations("settings.webhooks");
  return <ShownOnce title={t("secretOf", { name })} lead={t("once")} kept={t("kept")} copy={t("copy")} secret={secret} onClose={onClose} />;
}
