"use client";
import { Check, ChevronDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { Select as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";
import { useFieldControl } from "./field";
import { controlLook } from "./input";

export interface SelectOption<V extends string = string> {
  value: V;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

export interface SelectProps<V extends string = string> {
  value: V | undefined;
  onValue: (value: V) => void;
  options: readonly SelectOption<V>[];
  /** Its name where no field label stands beside it. */
  label?: string;
  placeholder?: string;
  disabled?: boolean;
  size?: "sm" | "md" | "lg";
  className?: string;
  id?: string;
  name?: string;
}

const HEIGHT = { sm: "h-6", md: "h-7 pointer-coarse:h-10", lg: "h-9 text-body pointer-coarse:h-11" } as const;

export function Select<V extends string = string>({
  value,
  onValue,
  options,
  label,
  placeholder,
  disabled,
  size = "md",
  className,
  id,
  name,
}: SelectProps<V>) {
  const t = useTranslations("ui");
  const links = useFieldControl({ id });
  return (
    <Radix.Root value={value ?? ""} onValueChange={(next) => onValue(next as V)} disabled={disabled} name={name}>
      <Radix.Trigger
        aria-label={label}
        {...links}
        className={cn(controlLook, HEIGHT[size], "inline-flex items-center justify-between gap-2 pr-1.5 pl-2 text-left", className)}
      >
        <span className="min-w-0 truncate">
          <Radix.Value placeholder={<span className="text-ink-3">{placeholder ?? t("choose")}</span>} />
        </span>
        <ChevronDown size={13} aria-hidden="true" className="shrink-0 text-ink-3" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-96 overflow-hidden rounded-md border border-line-strong bg-raised shadow-lift"
        >
          <Radix.Viewport className="max-h-80 p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="flex cursor-default select-none items-start gap-2 rounded-sm py-1 pr-3 pl-1.5 text-table outline-none data-disabled:text-ink-3 data-highlighted:bg-selected pointer-coarse:py-2.5"
              >
                <span className="flex h-5 w-4 shrink-0 items-center justify-center">
                  <Radix.ItemIndicator>
                    <Check size={13} aria-hidden="true" />
                  </Radix.ItemIndicator>
                </span>
                <span className="min-w-0">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint ? <span className="block text-ink-3 text-meta">{option.hint}</span> : null}
                </span>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
