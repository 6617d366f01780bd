"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Time } from "@/app/_ui/time";
import { ChangeView } from "./change-view";
import { objectHref } from "./object-href";
import { useVerbText } from "./use-verb-text";
import type { AuditRow } from "./views";

interface AuditDrawerProps {
  row: AuditRow | null;
  onClose: () => void;
  /** Narrows the list to what this row speaks of. */
  onOnly?: (only: { objectKind?: string; objectId?: string; objectLabel?: string; actor?: string }) => void;
}

/** One row whole: who, what, when, from where, before and after, and where it stands in the chain. */
export function AuditDrawer({ row, onClose, onOnly }: AuditDrawerProps) {
  const t = useTranslations("audit.row");
  const verb = useVerbText();
  return (
    <Drawer
      open={row !== null}
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={row ? t("title", { actor: row.actor.label, verb: verb(row.verb), object: row.object.label }) : ""}
    >
      {row ? <Row row={row} onOnly={onOnly} /> : null}
    </Drawer>
  );
}

function Row({ row, onOnly }: { row: AuditRow; onOnly: AuditDrawerProps["onOnly"] }) {
  const t = useTranslations("audit");
  const source = useSourceText();
  const href = objectHref(row.object);
  const agent = typeof row.source.userAgent === "string" ? row.source.userAgent : null;
  return (
    <div className="flex flex-col gap-6">
      <section>
        <h3 className="mb-2 font-semibold text-table">{t("row.change")}</h3>
        <ChangeView before={row.before} after={row.after} />
      </section>
      <KeyValues
        items={[
          { key: "reason", label: t("row.reason"), value: row.reason ?? <span className="text-ink-3">{t("row.noReason")}</span> },
          { key: "at", label: t("row.at"), value: <Time at={row.at} full precision="ms" /> },
          { key: "actor", label: t("row.actor"), value: <Actor row={row} /> },
          { key: "verb", label: t("row.verb"), value: row.verb, mono: true },
          { key: "object", label: t("row.object"), value: href ? <Link href={href}>{row.object.label}</Link> : row.object.label },
          { key: "from", label: t("row.from"), value: source(row) },
          ...(agent ? [{ key: "agent", label: t("row.agent"), value: agent }] : []),
          { key: "request", label: t("row.request"), value: <Mono copy>{row.requestId}</Mono> },
          { key: "seq", label: t("row.seq"), value: String(row.seq), mono: true },
          { key: "hash", label: t("row.hash"), value: row.hash, mono: true },
        ]}
      />
      {onOnly ? (
        <div className="flex flex-wrap gap-2">
          <Button
            onClick={() => onOnly({ objectKind: row.object.kind, objectId: row.object.id, objectLabel: row.object.label })}
            className="max-w-full"
          >
            <span className="truncate">{t("row.onlyObject", { object: row.object.label })}</span>
          </Button>
          <Button onClick={() => onOnly({ actor: row.actor.id })} className="max-w-full">
            <span className="truncate">{t("row.onlyActor", { actor: row.actor.label })}</span>
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Actor({ row }: { row: AuditRow }) {
  const t = useTranslations("audit.actorKind");
  const { kind, label } = row.actor;
  return (
    <>
      {label} <span className="text-ink-3 text-meta">{t.has(kind as "user") ? t(kind as "user") : kind}</span>
    </>
  );
}

/** Over what it came, and from which address. */
export function useSourceText(): (row: Pick<AuditRow, "source">) => string {
  const t = useTranslations("audit.via");
  return ({ source }) => {
    const via = String(source.via ?? "");
    const word = t.has(via as "api") ? t(via as "api") : via;
    return typeof source.ip === "string" ? `${word} · ${source.ip}` : word;
  };
}
