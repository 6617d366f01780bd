"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { Time } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import { MAX_RULES } from "@/server/domain/routing/rule";
import { useProject } from "../../_frame/project";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { BoundButton } from "./bound-dialog";
import { HistoryDrawer } from "./history-drawer";
import { draftOf, isSame, moveRule, putRule, removeRule } from "./model/draft";
import { NO_SUGGESTION, suggestedRule } from "./model/suggested-rule";
import { Outcome } from "./outcome";
import { RuleForm } from "./rule-form";
import { RuleList } from "./rule-list";
import { SaveDialog } from "./save-dialog";
import type { DraftRule, Table } from "./views";

/** Where failures go: rules in their order, what each has matched, and what a change would have done (EXC-5). */
export function RoutingScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("routing");
  const trpc = useTRPC();
  const found = useQuery(trpc.routing.get.queryOptions({ projectId }));
  const [history, setHistory] = useState(false);
  const role = useProject()?.role ?? null;
  const table = found.data;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            {table ? <SavedBy table={table} /> : null}
            <StaleMark />
          </>
        }
        actions={
          <>
            <BoundButton projectId={projectId} mayEdit={role !== null && roleAllows(role, "routing.manage")} />
            <Button onClick={() => setHistory(true)}>{t("history.open")}</Button>
          </>
        }
      />
      <QueryState query={found}>{(data) => <Editor projectId={projectId} live={data} />}</QueryState>
      {history ? <HistoryDrawer projectId={projectId} onClose={() => setHistory(false)} /> : null}
    </>
  );
}

function SavedBy({ table }: { table: Table }) {
  const t = useTranslations("routing");
  if (table.savedAt === null) return <span className="text-ink-3">{t("shipped")}</span>;
  return (
    <span className="text-ink-3">
      {t("savedBy", { version: table.version, who: table.savedBy ?? "" })} <Time at={table.savedAt} />
    </span>
  );
}

/** What is being changed, and the version that it began with: one that is saved meanwhile does not take it away. */
interface Draft {
  readonly base: Table;
  readonly rules: readonly DraftRule[];
}

function Editor({ projectId, live }: { projectId: string; live: Table }) {
  const trpc = useTRPC();
  const role = useProject()?.role ?? null;
  const mayEdit = role !== null && roleAllows(role, "routing.manage");
  const [draft, setDraft] = useState<Draft | null>(null);
  const { read, write } = useAddress();
  const suggested = mayEdit ? suggestedRule(read) : null;
  const [form, setForm] = useState<DraftRule | "new" | null>(suggested ? "new" : null);
  const closeForm = () => {
    setForm(null);
    if (suggested) write(NO_SUGGESTION);
  };
  const [saving, setSaving] = useState(false);
  const base = draft?.base ?? live;
  const rules = draft?.rules ?? draftOf(live.rules);
  const change = (next: readonly DraftRule[]) => setDraft(isSame(next, live.rules) ? null : { base, rules: next });
  const plain = rules.map(({ rule }) => rule);
  const simulated = useQuery({
    ...trpc.routing.simulate.queryOptions({ projectId, rules: plain }),
    placeholderData: (before) => before,
  });
  // Of other rules than these; what it says of each is then not true of it.
  const simulation = simulated.data && simulated.data.matched.length === rules.length ? simulated.data : undefined;
  return (
    <div className="flex flex-col gap-4 px-4 pb-8 md:px-6">
      <Outcome simulation={simulated.data} isOld={simulated.isPlaceholderData} error={simulated.error} isDraft={draft !== null} />
      {draft && live.version > draft.base.version ? (
        <Moved live={live} onTake={() => setDraft(null)} onKeep={() => setDraft({ base: live, rules })} />
      ) : null}
      {mayEdit ? (
        <Toolbar
          isFull={rules.length >= MAX_RULES}
          isDraft={draft !== null}
          onAdd={() => setForm("new")}
          onDiscard={() => setDraft(null)}
          onSave={() => setSaving(true)}
        />
      ) : null}
      <RuleList
        rules={rules}
        matched={simulation?.matched}
        unmatched={simulation?.unmatched}
        {...(mayEdit
          ? {
              onMove: (key: string, by: -1 | 1) => change(moveRule(rules, key, by)),
              onEdit: setForm,
              onRemove: (key: string) => change(removeRule(rules, key)),
            }
          : {})}
      />
      {form ? (
        <RuleForm
          rule={form === "new" ? null : form.rule}
          first={form === "new" ? suggested : null}
          taken={rules.filter((each) => each !== form).map(({ rule }) => rule.name)}
          onClose={closeForm}
          onDone={(rule) => {
            change(putRule(rules, form === "new" ? null : form.key, rule));
            closeForm();
          }}
        />
      ) : null}
      {saving && draft ? (
        <SaveDialog
          projectId={projectId}
          version={draft.base.version}
          rules={plain}
          simulation={simulated.data}
          onClose={(saved) => {
            setSaving(false);
            if (saved) setDraft(null);
          }}
        />
      ) : null}
    </div>
  );
}

interface ToolbarProps {
  isFull: boolean;
  isDraft: boolean;
  onAdd: () => void;
  onDiscard: () => void;
  onSave: () => void;
}

function Toolbar({ isFull, isDraft, onAdd, onDiscard, onSave }: ToolbarProps) {
  const t = useTranslations("routing");
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button disabled={isFull} onClick={onAdd}>
        {t("add")}
      </Button>
      {isDraft ? (
        <>
          <span className="ml-auto text-ink-2 text-table">{t("unsaved")}</span>
          <Button onClick={onDiscard}>{t("discard")}</Button>
          <Button look="primary" onClick={onSave}>
            {t("save.open")}
          </Button>
        </>
      ) : null}
    </div>
  );
}

/** Somebody has saved meanwhile: theirs is taken, or the draft goes on above it. */
function Moved({ live, onTake, onKeep }: { live: Table; onTake: () => void; onKeep: () => void }) {
  const t = useTranslations("routing");
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 border-state-review border-l-2 py-1 pl-3 text-table">
      <span>{t("moved", { version: live.version, who: live.savedBy ?? "" })}</span>
      <Button size="sm" onClick={onTake}>
        {t("takeTheirs")}
      </Button>
      <Button size="sm" onClick={onKeep}>
        {t("keepMine")}
      </Button>
    </div>
  );
}
