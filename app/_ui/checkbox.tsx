"use client";
import { Check, Minus } from "lucide-react";
import { Checkbox as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cn } from "./class-names";

export interface CheckboxProps {
  checked: boolean | "indeterminate";
  onChecked: (checked: boolean) => void;
  /** Visible text; where there is none, give `name`. */
  children?: ReactNode;
  name?: string;
  hint?: ReactNode;
  disabled?: boolean;
  className?: string;
}

export function Checkbox({ checked, onChecked, children, name, hint, disabled, className }: CheckboxProps) {
  const id = useId();
  const box = (
    <Radix.Root
      id={id}
      checked={checked}
      disabled={disabled}
      aria-label={children ? undefined : name}
      aria-describedby={hint ? `${id}-hint` : undefined}
      onCheckedChange={(next) => onChecked(next === true)}
      className="relative flex size-4 shrink-0 items-center justify-center rounded-sm border border-edge bg-raised text-panel before:absolute before:-inset-1 hover:not-disabled:border-ink data-[state=checked]:border-ink data-[state=indeterminate]:border-ink data-[state=checked]:bg-ink data-[state=indeterminate]:bg-ink disabled:opacity-45"
    >
      <Radix.Indicator>
        {checked === "indeterminate" ? (
          <Minus size={12} strokeWidth={3} aria-hidden="true" />
        ) : (
          <Check size={12} strokeWidth={3} aria-hidden="true" />
        )}
      </Radix.Indicator>
    </Radix.Root>
  );
  if (!children) return box;
  return (
    <div className={cn("flex items-start gap-2", className)}>
      <span className="flex h-5 items-center">{box}</span>
      <span className="min-w-0 text-table">
        <label htmlFor={id} className={cn(disabled && "text-ink-3")}>
          {children}
        </label>
        {hint ? (
          <span id={`${id}-hint`} className="block text-ink-3 text-meta">
            {hint}
          </span>
        ) : null}
      </span>
    </div>
  );
}
