"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Dialog } from "@/app/_ui/dialog";

/** A signing secret, for the only time. */
export function WebhookSecret({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const t = useTranslations("settings.webhooks");
  return (
    <Dialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("secretOf", { name })}
      lead={t("once")}
      footer={
        <Button look="primary" onClick={onClose}>
          {t("kept")}
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-md border border-line-strong bg-sunk py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 break-all font-mono text-meta leading-5">{secret}</code>
        <CopyButton size="md" text={secret} label={t("copy")} />
      </div>
    </Dialog>
  );
}
