"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useId } from "react";
import { Button } from "./button";
import { Dialog, type DialogProps } from "./dialog";

interface FormDialogProps {
  title: ReactNode;
  lead?: ReactNode;
  /** Repeats the title's verb. */
  verb: string;
  busy: boolean;
  /** What the server refused, in its words. */
  error: string | null;
  disabled?: boolean;
  width?: DialogProps["width"];
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}

/** A short form that is sent once. */
export function FormDialog({ title, lead, verb, busy, error, disabled, width, onClose, onSubmit, children }: FormDialogProps) {
  const ui = useTranslations("ui");
  const id = useId();
  return (
    <Dialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={title}
      lead={lead}
      width={width}
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            {ui("cancel")}
          </Button>
          <Button type="submit" form={id} look="primary" busy={busy} disabled={disabled}>
            {verb}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {error ? (
          <p role="alert" className="break-words border-state-failed border-l-2 pl-2 text-state-failed text-table">
            {error}
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}
