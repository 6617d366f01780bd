"use client";
import { ArrowLeft, LayoutGrid, List, Redo2, SlidersHorizontal, Undo2, Waypoints } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { IconButton } from "@/app/_ui/icon-button";
import { SearchInput } from "@/app/_ui/search-input";
import { Segmented } from "@/app/_ui/segmented";
import { useEditor, type View } from "./editor-context";
import type { SaveState } from "./model/autosave";
import { SaveMark } from "./save-mark";

interface EditorHeaderProps {
  readonly backHref: string;
  readonly liveVersionNo: number | null;
  readonly differs: boolean;
  readonly saves: SaveState;
  readonly dirty: boolean;
  readonly branched: boolean;
  readonly onView: (view: View) => void;
  readonly onQuery: (query: string) => void;
  readonly onSearchEnter: () => void;
  readonly onPublish: () => void;
}

function History() {
  const t = useTranslations("editor.header");
  const { state, dispatch, run, view, readOnly } = useEditor();
  return (
    <div className="flex items-center">
      <IconButton
        label={t("undo")}
        shortcut="⌘Z"
        icon={<Undo2 size={15} aria-hidden="true" />}
        disabled={state.past.length === 0}
        onClick={() => dispatch({ type: "undo" })}
      />
      <IconButton
        label={t("redo")}
        shortcut="⌘⇧Z"
        icon={<Redo2 size={15} aria-hidden="true" />}
        disabled={state.future.length === 0}
        onClick={() => dispatch({ type: "redo" })}
      />
      {view === "canvas" ? (
        <IconButton
          label={t("arrange")}
          icon={<LayoutGrid size={15} aria-hidden="true" />}
          disabled={readOnly}
          onClick={() => run({ kind: "arrange" })}
        />
      ) : null}
    </div>
  );
}

/** What is being edited, whether it is safe, and the way to put it live. */
export function EditorHeader(props: EditorHeaderProps) {
  const t = useTranslations("editor.header");
  const { state, view, query, readOnly, problems, openPanel } = useEditor();
  const { metadata } = state.draft.definition;
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-panel px-3 py-1.5">
      <Button asChild look="quiet" className="w-7 px-0 max-sm:-ml-1 pointer-coarse:w-10">
        <Link href={props.backHref} aria-label={t("back")} title={t("back")}>
          <ArrowLeft size={15} aria-hidden="true" />
        </Link>
      </Button>
      <div className="min-w-0 flex-1 max-sm:basis-[calc(100%-4rem)] md:max-w-[26rem]">
        <h1 className="flex min-w-0 items-center gap-2 font-semibold text-table">
          <span className="truncate">{metadata.title === "" ? metadata.name : metadata.title}</span>
          {props.liveVersionNo === null ? (
            <Badge>{t("neverPublished")}</Badge>
          ) : (
            <Badge mono>{t("live", { version: props.liveVersionNo })}</Badge>
          )}
        </h1>
        <SaveMark saves={props.saves} dirty={props.dirty} differs={props.differs} />
      </div>
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <form
          className="w-44 max-lg:hidden"
          onSubmit={(event) => {
            event.preventDefault();
            props.onSearchEnter();
          }}
        >
          <SearchInput main value={query} onValue={props.onQuery} label={t("search")} />
        </form>
        <History />
        <Segmented<View>
          label={t("view")}
          value={view}
          onValue={props.onView}
          options={[
            {
              value: "sequence",
              label: <span className="max-sm:sr-only">{t("sequence")}</span>,
              icon: <List size={14} aria-hidden="true" />,
              name: props.branched ? t("branched") : t("sequence"),
              disabled: props.branched,
            },
            {
              value: "canvas",
              label: <span className="max-sm:sr-only">{t("canvas")}</span>,
              icon: <Waypoints size={14} aria-hidden="true" />,
              name: t("canvas"),
            },
          ]}
        />
        <IconButton label={t("form")} icon={<SlidersHorizontal size={15} aria-hidden="true" />} onClick={openPanel} className="md:hidden" />
        {readOnly ? null : (
          <Button
            look="primary"
            disabled={!props.differs}
            onClick={props.onPublish}
            title={props.differs ? undefined : t("nothingToPublish")}
          >
            {t("publish")}
            {problems.length > 0 ? (
              <span className="rounded-full bg-panel px-1.5 text-meta text-state-failed tabular-nums leading-4">{problems.length}</span>
            ) : null}
          </Button>
        )}
      </div>
    </header>
  );
}
