"use client";
import { useTranslations } from "next-intl";
import { AlertDialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "./button";
import { Field } from "./field";
import { focusFirstField } from "./first-focus";
import { Textarea } from "./textarea";

export interface ConfirmDialogProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  /** The verb and the object: "Rerun from clean, 3 nodes". */
  title: ReactNode;
  /** What will run, what is reused, what is skipped. */
  children?: ReactNode;
  /** Repeated on the button. */
  verb: string;
  /** In place of "Cancel", where the deed itself is to cancel something. */
  dismiss?: string;
  tone?: "plain" | "destroy";
  reason?: "required" | "optional" | "none";
  busy?: boolean;
  /** What the server refused, in its words. */
  error?: ReactNode;
  onConfirm: (reason: string) => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 grid items-end justify-items-center overflow-y-auto bg-veil sm:items-start sm:p-6 sm:pt-[14vh]">
          <Radix.Content
            aria-describedby={undefined}
            {...(props.reason && props.reason !== "none" ? { onOpenAutoFocus: focusFirstField } : {})}
            className="appear w-full max-w-lg border border-line-strong bg-panel shadow-lift outline-none max-sm:rounded-t-lg sm:rounded-lg"
          >
            <ConfirmForm {...props} />
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

function ConfirmForm({ title, children, verb, dismiss, tone = "plain", reason = "none", busy, error, onConfirm }: ConfirmDialogProps) {
  const t = useTranslations("ui");
  const [text, setText] = useState("");
  const [missing, setMissing] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = text.trim();
    if (reason === "required" && given === "") {
      setMissing(true);
      return;
    }
    onConfirm(given);
  };

  return (
    <form onSubmit={submit}>
      <div className="flex flex-col gap-4 px-4 py-4">
        <Radix.Title className="break-words font-semibold text-title">{title}</Radix.Title>
        {children ? <div className="text-body text-ink-2">{children}</div> : null}
        {reason === "none" ? null : (
          <Field
            label={t("reason")}
            optional={reason === "optional"}
            hint={t("reasonHint")}
            error={missing && text.trim() === "" ? t("reasonMissing") : undefined}
          >
            <Textarea rows={2} maxLength={500} value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
        )}
        {error ? (
          <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
            {error}
          </p>
        ) : null}
      </div>
      <footer className="flex justify-end gap-2 border-t px-4 py-3 max-sm:[&>button]:flex-1">
        <Radix.Cancel asChild>
          <Button disabled={busy}>{dismiss ?? t("cancel")}</Button>
        </Radix.Cancel>
        <Button type="submit" look={tone === "destroy" ? "destroy" : "primary"} busy={busy}>
          {verb}
        </Button>
      </footer>
    </form>
  );
}
