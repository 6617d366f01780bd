"use client";
import { useTranslations } from "next-intl";
import { Label } from "radix-ui";
import { createContext, type ReactNode, useContext, useId } from "react";
import { cn } from "./class-names";

interface FieldLinks {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

const FieldContext = createContext<FieldLinks | null>(null);

/** Ties a control to the label, hint and error of the field around it; what the control says itself wins. */
export function useFieldControl(own: { id?: string; "aria-describedby"?: string; "aria-invalid"?: unknown; required?: boolean }) {
  const field = useContext(FieldContext);
  const invalid = own["aria-invalid"] === true || own["aria-invalid"] === "true" || (field?.invalid ?? false);
  return {
    id: own.id ?? field?.id,
    "aria-describedby": own["aria-describedby"] ?? field?.describedBy,
    "aria-invalid": invalid || undefined,
    "aria-required": (own.required ?? field?.required) || undefined,
  };
}

export interface FieldProps {
  label: ReactNode;
  children: ReactNode;
  hint?: ReactNode;
  /** What is wrong and what to do; shown in place of the hint. */
  error?: ReactNode;
  /** Most fields are required, so it is the optional ones that are marked. */
  optional?: boolean;
  /** At the right end of the label's line, such as a link to help. */
  aside?: ReactNode;
  className?: string;
}

export function Field({ label, children, hint, error, optional, aside, className }: FieldProps) {
  const t = useTranslations("ui");
  const id = useId();
  const note = error || hint ? `${id}-note` : undefined;
  return (
    <FieldContext value={{ id, describedBy: note, invalid: Boolean(error), required: !optional }}>
      <div className={cn("flex min-w-0 flex-col gap-1", className)}>
        <div className="flex items-baseline gap-2">
          <Label.Root htmlFor={id} className="font-medium text-meta text-ink-2">
            {label}
          </Label.Root>
          {optional ? <span className="text-ink-3 text-meta">{t("optional")}</span> : null}
          {aside ? <span className="ml-auto text-meta">{aside}</span> : null}
        </div>
        {children}
        {error ? (
          <p id={note} role="alert" className="flex gap-1.5 text-meta text-state-failed before:content-['▲'] before:text-[9px]">
            <span className="min-w-0 break-words">{error}</span>
          </p>
        ) : hint ? (
          <p id={note} className="text-ink-3 text-meta">
            {hint}
          </p>
        ) : null}
      </div>
    </FieldContext>
  );
}
