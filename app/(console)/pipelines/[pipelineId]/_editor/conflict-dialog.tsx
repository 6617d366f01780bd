"use client";
import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { diffDefinitions } from "@/server/domain/pipeline/diff";
import { DiffView } from "./diff-view";
import { useEditor } from "./editor-context";
import type { TheirDraft } from "./model/autosave";

interface ConflictDialogProps {
  readonly theirs: TheirDraft | null;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: (theirs: TheirDraft) => void;
}

/** Someone else saved this draft meanwhile: nothing is written over until the author has chosen. */
export function ConflictDialog({ theirs, onKeepMine, onTakeTheirs }: ConflictDialogProps) {
  const t = useTranslations("editor.conflict");
  const { state } = useEditor();
  const [looking, setLooking] = useState(false);
  const { definition } = state.draft;
  const diff = useMemo(() => (theirs === null ? null : diffDefinitions(theirs.definition, definition)), [theirs, definition]);
  return (
    <Dialog
      open={theirs !== null}
      // Closing without a choice would leave the draft unsaved: the question stays.
      onOpen={() => undefined}
      title={t("title")}
      lead={theirs?.by === undefined ? t("lead") : t("leadBy", { by: theirs.by })}
      width="lg"
      footer={
        <>
          {looking ? null : (
            <Button onClick={() => setLooking(true)} className="mr-auto">
              {t("look")}
            </Button>
          )}
          <Button
            onClick={() => {
              if (theirs !== null) onTakeTheirs(theirs);
              setLooking(false);
            }}
          >
            {t("takeTheirs")}
          </Button>
          <Button
            look="primary"
            onClick={() => {
              onKeepMine();
              setLooking(false);
            }}
          >
            {t("keepMine")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">{t("body")}</p>
        {looking && diff !== null ? (
          <>
            <p className="text-ink-3 text-meta">{t("diffLead")}</p>
            <DiffView diff={diff} />
          </>
        ) : null}
      </div>
    </Dialog>
  );
}
