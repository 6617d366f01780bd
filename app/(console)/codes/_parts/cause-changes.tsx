"use client";
import { useTranslations } from "next-intl";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { objectHref } from "../../_audit/object-href";
import { useVerbText } from "../../_audit/use-verb-text";
import type { CauseDetails } from "../../_causes/views";

/** What people changed in the hour before a burst and until it ended, the newest first. */
export function CauseChanges({ changes }: { changes: CauseDetails["changes"] }) {
  const t = useTranslations("causes.changes");
  const verbText = useVerbText();
  return (
    <Panel title={t("title")} note={t("note")}>
      {changes.length === 0 ? <p className="text-ink-3 text-table">{t("none")}</p> : null}
      <ul className="flex flex-col text-table">
        {changes.map(({ id, at, actor, verb, object, reason }) => {
          const href = objectHref(object);
          return (
            <li key={id} className="border-b py-1.5 last:border-b-0">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span>{actor}</span>
                <span className="text-ink-2">{verbText(verb)}</span>
                {href === null ? (
                  <span className="min-w-0 break-words">{object.label}</span>
                ) : (
                  <Link prefetch={false} href={href} className="min-w-0 break-words">
                    {object.label}
                  </Link>
                )}
                <Time at={at} className="ml-auto shrink-0 text-ink-3 text-meta" />
              </p>
              {reason ? <p className="break-words text-ink-3 text-meta">{reason}</p> : null}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
