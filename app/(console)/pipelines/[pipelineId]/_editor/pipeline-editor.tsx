"use client";
import { useTranslations } from "next-intl";
import { useState, useSyncExternalStore } from "react";
import { Drawer } from "@/app/_ui/drawer";
import { AddDialog } from "./add-dialog";
import { Canvas } from "./canvas/canvas";
import { ConflictDialog } from "./conflict-dialog";
import { BottomDrawer, type DrawerTab } from "./drawer/bottom-drawer";
import { EditorContext } from "./editor-context";
import { EditorHeader } from "./editor-header";
import { findNode } from "./model/editor-draft";
import { Palette } from "./palette";
import { SidePanel } from "./panel/side-panel";
import { PublishDialog } from "./publish-dialog";
import { RefusalLine } from "./refusal-line";
import { Sequence } from "./sequence/sequence";
import { useEditorKeys } from "./use-editor-keys";
import { type PipelineEditorProps, usePipelineEditor } from "./use-pipeline-editor";

const WIDE = "(min-width: 52rem)";

function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(WIDE);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
}

/** The pipeline's drawing board: one model behind the list, the canvas and the YAML. */
export function PipelineEditor(props: PipelineEditorProps) {
  const t = useTranslations("editor");
  const { editor, sight, autosave, publishing, dirty } = usePipelineEditor(props);
  const [drawer, setDrawer] = useState<DrawerTab | null>(null);
  const [asking, setAsking] = useState(false);
  const wide = useWide();
  const { state, view, run } = editor;
  useEditorKeys(editor, { save: () => void autosave.flush(), publish: () => setAsking(!editor.readOnly) });

  const toNextHit = () => {
    const keys = [...sight.hits];
    const next = keys[(keys.indexOf(state.selection.at(-1) ?? "") + 1) % Math.max(1, keys.length)];
    if (next !== undefined) editor.jumpTo(next, null);
  };
  const selected = state.selection.at(-1);
  const node = selected === undefined ? undefined : findNode(state.draft, selected);

  return (
    <EditorContext value={editor}>
      <div className="flex h-full min-h-0 flex-col bg-ground">
        <EditorHeader
          backHref={props.backHref}
          liveVersionNo={publishing.live?.versionNo ?? null}
          differs={publishing.differs}
          saves={autosave.saves}
          dirty={dirty}
          branched={sight.branched}
          onView={sight.setView}
          onQuery={sight.setQuery}
          onSearchEnter={toNextHit}
          onPublish={() => setAsking(true)}
        />
        {props.readOnlyBecause === null ? null : (
          <p className="border-b bg-sunk px-4 py-1.5 text-ink-2 text-table">{props.readOnlyBecause}</p>
        )}
        <div className="flex min-h-0 flex-1">
          <Palette />
          <div className="relative flex min-w-0 flex-1 flex-col">
            <RefusalLine />
            <div className="min-h-0 flex-1 overflow-y-auto">{view === "canvas" ? <Canvas /> : <Sequence />}</div>
            <BottomDrawer open={drawer} onOpen={setDrawer} />
          </div>
          {wide ? (
            <div className="flex w-[23rem] shrink-0 border-l max-lg:w-80">
              <SidePanel />
            </div>
          ) : null}
        </div>
        {wide ? null : (
          <Drawer open={sight.panelOpen} onOpen={sight.setPanelOpen} title={node?.title ?? node?.key ?? t("panel.pipeline")}>
            <div className="-mx-4 -my-4 flex min-h-[calc(100%+2rem)]">
              <SidePanel />
            </div>
          </Drawer>
        )}
      </div>
      <AddDialog place={sight.addPlace} onClose={() => sight.setAddPlace(null)} />
      <PublishDialog
        open={asking}
        onOpen={setAsking}
        live={publishing.live}
        onPublish={publishing.publish}
        onProblems={() => {
          setAsking(false);
          setDrawer("problems");
        }}
      />
      <ConflictDialog
        theirs={autosave.saves.theirs}
        onKeepMine={autosave.keepMine}
        onTakeTheirs={(theirs) => {
          run({ kind: "replace", definition: theirs.definition, layout: theirs.layout });
          autosave.takeTheirs();
        }}
      />
    </EditorContext>
  );
}
