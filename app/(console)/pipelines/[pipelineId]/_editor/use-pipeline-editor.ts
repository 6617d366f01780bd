"use client";
import { useTranslations } from "next-intl";
import { useDeferredValue, useMemo, useReducer, useState } from "react";
import { matchesQuery } from "@/app/_ui/option-list";
import { notify } from "@/app/_ui/toast";
import { sameDefinition } from "@/server/domain/pipeline/canonical";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import type { AddPlace } from "./add-dialog";
import type { Editor, EditorChoices, Jump, View } from "./editor-context";
import { completeLayout } from "./model/auto-layout";
import { isSaved } from "./model/autosave";
import type { EditorDraft } from "./model/editor-draft";
import { editorReducer, openEditor } from "./model/history";
import { nodeSummary } from "./model/node-summary";
import { problemsByNode, problemsOf } from "./model/problems";
import { stepsOf } from "./model/reorder-step";
import type { PublishOutcome } from "./publish-dialog";
import { type SaveDraft, useAutosave } from "./use-autosave";

export interface PipelineEditorProps {
  readonly live: { readonly versionNo: number; readonly definition: PipelineDefinition } | null;
  readonly draft: EditorDraft & { readonly revision: number };
  readonly choices: EditorChoices;
  readonly backHref: string;
  /** Why nothing can be changed here: no right to, or kept in git. */
  readonly readOnlyBecause: string | null;
  readonly onSaveDraft: SaveDraft;
  readonly onPublish: (message: string, revision: number) => Promise<PublishOutcome>;
}

const NO_LINES: ReadonlySet<string> = new Set();
const NO_HITS: ReadonlySet<string> = new Set();

function hitsOf(draft: EditorDraft, query: string): ReadonlySet<string> {
  if (query.trim() === "") return NO_HITS;
  const said = draft.definition.spec.nodes.filter((node) =>
    matchesQuery(`${node.key} ${node.title ?? ""} ${node.type} ${nodeSummary(node)}`, query),
  );
  return new Set(said.map(({ key }) => key));
}

/** What is looked at, beside what is drawn. */
function useSight(draft: EditorDraft) {
  const [chosenView, setView] = useState<View | null>(null);
  const [jump, setJump] = useState<Jump | null>(null);
  const [addPlace, setAddPlace] = useState<AddPlace | null>(null);
  const [lines, setLines] = useState(NO_LINES);
  const [query, setQuery] = useState("");
  const [panelOpen, setPanelOpen] = useState(false);
  const hits = useMemo(() => hitsOf(draft, query), [draft, query]);
  const branched = stepsOf(draft) === null;
  const view: View = branched ? "canvas" : (chosenView ?? "sequence");
  return { view, setView, branched, jump, setJump, addPlace, setAddPlace, lines, setLines, query, setQuery, hits, panelOpen, setPanelOpen };
}

/** Saves first, so that what goes live is exactly what stands on the screen. */
function usePublish(props: PipelineEditorProps, definition: PipelineDefinition, flush: () => Promise<number | null>) {
  const t = useTranslations("editor.publish");
  const [live, setLive] = useState(props.live);
  const poolNotice = (pools: readonly string[]) =>
    pools.length === 0
      ? {}
      : ({
          tone: "warn",
          detail: t("poolsMade", { n: pools.length, pools: pools.join(", ") }),
          link: { href: "/workers", label: t("poolsLink") },
        } as const);
  const publish = async (message: string): Promise<PublishOutcome> => {
    const revision = await flush();
    if (revision === null) return { kind: "refused", message: t("notSaved") };
    const outcome = await props.onPublish(message, revision);
    if (outcome.kind === "published") {
      setLive({ versionNo: outcome.versionNo, definition });
      notify({ title: t("done", { version: outcome.versionNo }), ...poolNotice(outcome.poolsMade) });
    }
    return outcome;
  };
  return { live, publish, differs: live === null || !sameDefinition(live.definition, definition) };
}

/** Everything that the editor's parts share. */
export function usePipelineEditor(props: PipelineEditorProps) {
  const first = useMemo<EditorDraft>(() => {
    const { definition, layout } = props.draft;
    return { definition, layout: completeLayout(definition.spec.nodes, layout) };
  }, [props.draft]);
  const [state, dispatch] = useReducer(editorReducer, first, openEditor);
  const sight = useSight(state.draft);
  const { definition } = state.draft;
  const judged = useDeferredValue(definition);
  const problems = useMemo(() => problemsOf(judged), [judged]);
  const byNode = useMemo(() => problemsByNode(problems), [problems]);
  const autosave = useAutosave(state.draft, { draft: first, revision: props.draft.revision }, props.onSaveDraft);
  const publishing = usePublish(props, definition, autosave.flush);
  const readOnly = props.readOnlyBecause !== null;

  const editor: Editor = {
    state,
    dispatch,
    run: (command) => {
      if (!readOnly) dispatch({ type: "run", command });
    },
    problems,
    problemsOf: byNode,
    readOnly,
    choices: props.choices,
    view: sight.view,
    jump: sight.jump,
    jumpTo: (nodeKey, field) => {
      dispatch({ type: "select", keys: nodeKey === null ? [] : [nodeKey] });
      sight.setLines(NO_LINES);
      sight.setJump((before) => ({ nodeKey, field, number: (before?.number ?? 0) + 1 }));
      if (field !== null) sight.setPanelOpen(true);
    },
    openAdd: (after, between, only) => sight.setAddPlace({ after, between, ...(only === undefined ? {} : { only }) }),
    openPanel: () => sight.setPanelOpen(true),
    lines: sight.lines,
    setLines: sight.setLines,
    query: sight.query,
    hits: sight.hits,
  };
  return { editor, sight, autosave, publishing, dirty: !isSaved(autosave.saves, state.draft) };
}
