"use client";
import { useTranslations } from "next-intl";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { objectHref } from "../_audit/object-href";
import { useVerbText } from "../_audit/use-verb-text";
import { type ChangeGroup, groupChanges } from "./model/group-changes";
import type { ChangeLine } from "./views";

const SHOWN = 7;

/** Who did what lately: where something broke, this is the first suspicion. */
export function ChangedBlock({ changed }: { changed: readonly ChangeLine[] }) {
  const t = useTranslations("home.changed");
  return (
    <Panel
      title={t("title")}
      actions={
        <Link href="/audit" className="text-meta">
          {t("all")}
        </Link>
      }
    >
      {changed.length === 0 ? (
        <p className="py-2 text-ink-2 text-table">{t("none")}</p>
      ) : (
        <ul>
          {groupChanges(changed)
            .slice(0, SHOWN)
            .map((group) => (
              <Line key={group.newest.id} group={group} />
            ))}
        </ul>
      )}
    </Panel>
  );
}

function Line({ group }: { group: ChangeGroup }) {
  const t = useTranslations("home.changed");
  const verb = useVerbText();
  const line = group.newest;
  const href = objectHref(line.object);
  return (
    <li className="flex min-h-8 items-baseline gap-1.5 border-b py-1 text-table last:border-b-0">
      <span className="min-w-0 truncate" title={line.reason ?? undefined}>
        <span className="font-medium">{line.actor.label}</span> <span className="text-ink-2">{verb(line.verb)}</span>{" "}
        {href ? <Link href={href}>{line.object.label}</Link> : line.object.label}
        {group.objects > 1 ? <span className="text-ink-2"> {t("others", { n: group.objects - 1 })}</span> : null}
        {group.objects === 1 && group.count > 1 ? <span className="text-ink-3"> {t("times", { n: group.count })}</span> : null}
      </span>
      <Time relative at={line.at} className="ml-auto shrink-0 text-ink-3 text-meta" />
    </li>
  );
}
