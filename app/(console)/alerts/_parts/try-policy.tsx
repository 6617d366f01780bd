"use client";
import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { GRADES, type Grade } from "@/server/domain/alert/grade";
import { useFailureText } from "../../_query/use-failure-text";
import { useRuleName } from "./use-rule-name";
import type { AlertSimulation, Policy } from "./views";

const DAYS = 30;

interface TryPolicyProps {
  projectId: string;
  /** As it would be saved. */
  policy: Policy;
  disabled?: boolean;
}

/** What this policy would have done with what occurred in the last days, beside the live one (ALT-8). */
export function TryPolicy({ projectId, policy, disabled = false }: TryPolicyProps) {
  const t = useTranslations("alerts.try");
  const trpc = useTRPC();
  const text = useFailureText();
  const [tried, setTried] = useState<Policy | null>(null);
  const found = useQuery({
    ...trpc.alerts.simulate.queryOptions({ projectId, days: DAYS, policy: tried ?? policy }),
    enabled: tried !== null,
  });
  const isOther = tried !== null && JSON.stringify(tried) !== JSON.stringify(policy);
  return (
    <section aria-label={t("label")} className="flex flex-col items-start gap-2">
      <Button
        size="sm"
        disabled={disabled}
        busy={found.isFetching}
        onClick={() => (tried !== null && !isOther ? found.refetch() : setTried(policy))}
      >
        <FlaskConical size={13} aria-hidden="true" />
        {t("try")}
      </Button>
      {found.error ? <ErrorState title={t("failed")} detail={text(found.error)} /> : null}
      {found.data && tried !== null ? (
        <div aria-live="polite" className="w-full text-table">
          {isOther ? <p className="text-ink-3">{t("edited")}</p> : <Tried simulation={found.data} policy={tried} />}
        </div>
      ) : null}
    </section>
  );
}

function Tried({ simulation, policy }: { simulation: AlertSimulation; policy: Policy }) {
  const t = useTranslations("alerts.try");
  const name = useEndingName();
  const nameOf = useRuleName();
  const { total, isPartial, live, draft, changed, newlyTold, noLongerTold } = simulation;
  const sum = (of: AlertSimulation["live"]) => of.told.reduce((all, { count }) => all + count, 0);
  const list = (of: AlertSimulation["live"]) =>
    [...of.told.map(({ grade, count }) => ({ ending: grade, count })), ...of.held.map(({ by, count }) => ({ ending: by, count }))]
      .map(({ ending, count }) => `${name(ending)} ×${count}`)
      .join(" · ");
  const rules = draft.rules.map(({ ruleId, count, told }) => {
    const rule = policy.rules.find(({ id }) => id === ruleId);
    return t("rule", { name: rule ? nameOf(rule) : t("noRule"), count, told });
  });
  return (
    <div className="flex flex-col gap-1.5 break-words">
      <p className="font-medium">{changed.length === 0 ? t("same") : t("more", { newly: newlyTold, less: noLongerTold })}</p>
      <ul className="flex flex-col gap-1">
        {changed.map(({ from, to, count, codes }) => (
          <li key={`${from}>${to}`}>
            {t("way", { count, from: name(from), to: name(to) })}{" "}
            <span className="font-mono text-ink-3 text-meta">{codes.map((each) => `${each.code} ×${each.count}`).join("  ")}</span>
          </li>
        ))}
      </ul>
      {total === 0 ? null : (
        <>
          <p>{t("now", { count: sum(live), list: list(live) })}</p>
          <p>{t("then", { count: sum(draft), list: list(draft) })}</p>
          <p className="text-ink-3">{t("rules", { list: rules.join(" · ") })}</p>
        </>
      )}
      <p className="text-ink-3">
        {t("looked", { count: total, days: DAYS })} {isPartial ? t("partial") : null}
      </p>
    </div>
  );
}

/** A grade that people are told with, or what keeps it from them. */
function useEndingName() {
  const by = useTranslations("alerts.by");
  const isGrade = (ending: AlertSimulation["changed"][number]["to"]): ending is Grade => (GRADES as readonly string[]).includes(ending);
  return (ending: AlertSimulation["changed"][number]["to"]): string => (isGrade(ending) ? ending : by(ending));
}
