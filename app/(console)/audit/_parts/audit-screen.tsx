"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { useZone } from "@/app/_ui/clock";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { AuditTable } from "../../_audit/audit-table";
import { useAudit } from "../../_audit/use-audit";
import { dayBounds, readDay } from "../../_query/day";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { AuditFilterBar } from "./audit-filter-bar";
import { type AuditSight, isFiltered, NO_FILTERS, readSight, sightAddress } from "./audit-filters";
import { VerifyChain } from "./verify-chain";

interface AuditScreenProps {
  projectId: string;
  isAdministrator: boolean;
}

/** Who did what, when, from where, and why. */
export function AuditScreen({ projectId, isAdministrator }: AuditScreenProps) {
  const t = useTranslations("audit");
  const { read, write } = useAddress();
  const { zone } = useZone();
  const platform = isAdministrator && read("of") === "platform";
  const sight = readSight(read);
  const setSight = (next: AuditSight) => write(sightAddress(next));
  const [from, to] = [readDay(sight.from ?? ""), readDay(sight.to ?? "")];
  const audit = useAudit({
    projectId: platform ? null : projectId,
    ...(sight.actor ? { actor: sight.actor } : {}),
    ...(sight.noun ? { verb: sight.noun } : {}),
    ...(sight.object ? { objectKind: sight.object.kind, objectId: sight.object.id } : {}),
    ...(from ? { from: dayBounds(from, zone).from } : {}),
    ...(to ? { to: dayBounds(to, zone).to } : {}),
  });
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            <StaleMark />
          </>
        }
        actions={<VerifyChain key={String(platform)} projectId={platform ? null : projectId} />}
      />
      <AuditFilterBar
        projectId={projectId}
        sight={sight}
        onSight={setSight}
        scope={isAdministrator ? (platform ? "platform" : "project") : null}
        onScope={(scope) => write({ ...sightAddress(NO_FILTERS), of: scope === "platform" ? "platform" : null })}
      />
      <AuditTable
        audit={audit}
        onOnly={({ actor, objectKind, objectId, objectLabel }) =>
          setSight({
            ...sight,
            ...(actor ? { actor } : {}),
            ...(objectKind && objectId ? { object: { kind: objectKind, id: objectId, label: objectLabel ?? objectId } } : {}),
          })
        }
        empty={
          isFiltered(sight) ? (
            <EmptyState title={t("empty.title")} actions={<Button onClick={() => setSight(NO_FILTERS)}>{t("filter.clear")}</Button>}>
              {t("empty.body")}
            </EmptyState>
          ) : (
            <EmptyState title={t("nothing.title")}>{t("nothing.body")}</EmptyState>
          )
        }
      />
    </>
  );
}
