"use client";
import { Switch as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cn } from "./class-names";

export interface SwitchProps {
  checked: boolean;
  onChecked: (checked: boolean) => void;
  children?: ReactNode;
  /** Its name where no text stands beside it. */
  name?: string;
  hint?: ReactNode;
  disabled?: boolean;
  className?: string;
}

/** For what takes effect at once; a choice that waits for a Save button is a checkbox. */
export function Switch({ checked, onChecked, children, name, hint, disabled, className }: SwitchProps) {
  const id = useId();
  const knob = (
    <Radix.Root
      id={id}
      checked={checked}
      disabled={disabled}
      aria-label={children ? undefined : name}
      aria-describedby={hint ? `${id}-hint` : undefined}
      onCheckedChange={onChecked}
      className="relative h-4 w-7 shrink-0 rounded-full border border-edge bg-raised transition-colors duration-100 before:absolute before:-inset-1.5 data-[state=checked]:border-ink data-[state=checked]:bg-ink disabled:opacity-45"
    >
      <Radix.Thumb className="block size-2.5 translate-x-0.5 rounded-full bg-ink-3 transition-transform duration-100 data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-panel" />
    </Radix.Root>
  );
  if (!children) return knob;
  return (
    <div className={cn("flex items-start gap-2", className)}>
      <span className="flex h-5 items-center">{knob}</span>
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
