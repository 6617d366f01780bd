"use client";
import { useTranslations } from "next-intl";
import { SHIPPED_POLICY } from "@/server/domain/alert/policy";

const SHIPPED: Readonly<Record<string, string>> = Object.fromEntries(SHIPPED_POLICY.rules.map(({ id, name }) => [id, name]));
const NAMED = ["oom", "deadlock", "timeout", "silence", "validation"] as const;

/** What a rule is called: one that is still named as it was shipped, in the reader's language. */
export function useRuleName() {
  const t = useTranslations("alerts.rules.shippedNames");
  return ({ id, name }: { readonly id: string; readonly name: string }): string => {
    const shipped = NAMED.find((each) => each === id);
    return shipped && SHIPPED[shipped] === name ? t(shipped) : name;
  };
}
