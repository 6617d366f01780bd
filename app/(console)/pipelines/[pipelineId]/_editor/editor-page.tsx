"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { useFailureText } from "@/app/(console)/_query/use-failure-text";
import type { EditorChoices, EditorPlace } from "./editor-context";
import { PipelineEditor } from "./pipeline-editor";
import type { PublishOutcome } from "./publish-dialog";
import type { SaveDraft } from "./use-autosave";
import type { PipelineEditorProps } from "./use-pipeline-editor";

interface EditorPageProps {
  readonly projectId: string;
  readonly pipelineId: string;
  readonly draft: PipelineEditorProps["draft"];
  readonly live: PipelineEditorProps["live"];
  readonly readOnly: "git" | "role" | null;
}

function useChoices({ projectId, pipelineId }: EditorPlace): EditorChoices {
  const trpc = useTRPC();
  const tasks = useQuery(trpc.workers.tasks.queryOptions());
  const secrets = useQuery(trpc.secrets.list.queryOptions({ projectId }));
  return useMemo(() => {
    return {
      place: { projectId, pipelineId },
      groups: [...new Set(tasks.data?.map(({ group }) => group))],
      tasks: [...new Set(tasks.data?.map(({ name }) => name))],
      secrets: secrets.data?.map(({ name }) => name) ?? [],
    };
  }, [projectId, pipelineId, tasks.data, secrets.data]);
}

/** The editor with the server behind it: saving, publishing, and what the server knows to choose from. */
export function EditorPage({ projectId, pipelineId, draft, live, readOnly }: EditorPageProps) {
  const t = useTranslations("editor.readOnly");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const text = useFailureText();
  const choices = useChoices({ projectId, pipelineId });
  const save = useMutation(trpc.pipelines.saveDraft.mutationOptions());
  const publish = useMutation(trpc.pipelines.publish.mutationOptions());
  const place = { projectId, pipelineId };

  const onSaveDraft: SaveDraft = async ({ definition, layout }, revision) => {
    try {
      const saved = await save.mutateAsync({ ...place, revision, definition, layout });
      return { kind: "saved", revision: saved.revision };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null || failure.code === "bug" || failure.code === "unavailable") throw error;
      if (failure.code !== "stale") return { kind: "refused", message: text(error) };
      const theirs = await queries.fetchQuery({ ...trpc.pipelines.draft.queryOptions(place), staleTime: 0 });
      return {
        kind: "conflict",
        theirs: {
          definition: theirs.definition,
          layout: theirs.layout,
          revision: theirs.revision,
          ...(theirs.savedBy === null ? {} : { by: theirs.savedBy }),
        },
      };
    }
  };
  const onPublish = async (message: string, revision: number): Promise<PublishOutcome> => {
    try {
      const { versionNo, poolsMade } = await publish.mutateAsync({ ...place, revision, message });
      await queries.invalidateQueries({ queryKey: trpc.pipelines.pathKey() });
      return { kind: "published", versionNo, poolsMade };
    } catch (error) {
      return { kind: "refused", message: text(error) };
    }
  };

  return (
    <PipelineEditor
      live={live}
      draft={draft}
      choices={choices}
      backHref={`/pipelines/${pipelineId}`}
      readOnlyBecause={readOnly === null ? null : t(readOnly)}
      onSaveDraft={onSaveDraft}
      onPublish={onPublish}
    />
  );
}
