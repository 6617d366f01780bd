"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import type { IncidentDetails } from "./views";

/** That this came back although it was reviewed, and whose action is late; or that what was reviewed here came back (INC-6). */
export function RecurrenceNote({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.recurrence");
  const { recurrence, recurredIn } = incident;
  if (recurrence) {
    const late = recurrence.verdict === "overdue";
    const shown = late ? recurrence.actions.filter(({ overdue }) => overdue) : recurrence.actions;
    return (
      <section
        aria-label={t(recurrence.verdict)}
        className={cn("mx-4 mt-4 border-l-2 pl-3 text-table md:mx-6", late ? "border-state-failed" : "border-state-retrying")}
      >
        <p className="font-medium">
          {t.rich("back", { no: recurrence.no, link: (text) => <Link href={`/incidents/${recurrence.id}?tab=review`}>{text}</Link> })}
        </p>
        {recurrence.fix === "" ? null : <p className="break-words text-ink-2">{t("fix", { fix: recurrence.fix })}</p>}
        {shown.length === 0 ? null : (
          <>
            <p className={late ? "text-state-failed" : "text-ink-2"}>{t(recurrence.verdict)}</p>
            <ul className="list-disc pl-5">
              {shown.map((action) => (
                <li key={action.id} className="break-words">
                  {t("action", { what: action.what, owner: action.owner ?? "–", due: action.due ?? "–" })}
                  <span className={cn("ml-2 text-meta", action.overdue ? "text-state-failed" : "text-ink-3")}>
                    {action.overdue ? t("late") : action.done ? t("done") : null}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    );
  }
  if (!recurredIn) return null;
  return (
    <p className="mx-4 mt-4 border-state-retrying border-l-2 pl-3 text-table md:mx-6">
      {t.rich("recurred", { no: recurredIn.no, link: (text) => <Link href={`/incidents/${recurredIn.id}`}>{text}</Link> })}
    </p>
  );
}
