"use client";
import { useTranslations } from "next-intl";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { MAX_SLOTS } from "@/server/domain/pool/limit";

/** The number of slots that a text means; null for one that means none. */
export function slotsIn(text: string): number | null {
  const number = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return number >= 1 && number <= MAX_SLOTS ? number : null;
}

interface SlotsFieldProps {
  value: string;
  /** Left empty, there is no limit. */
  optional?: boolean;
  hint: string;
  onValue: (value: string) => void;
}

export function SlotsField({ value, optional, hint, onValue }: SlotsFieldProps) {
  const t = useTranslations("workers.limit");
  const isWrong = value.trim() !== "" && slotsIn(value) === null;
  return (
    <Field label={t("slots")} optional={optional} hint={hint} error={isWrong ? t("slotsWrong", { max: MAX_SLOTS }) : undefined}>
      <Input className="max-w-32" inputMode="numeric" maxLength={4} value={value} onChange={(event) => onValue(event.target.value)} />
    </Field>
  );
}
