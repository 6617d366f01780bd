"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { LetterAct, LetterView } from "./views";

/** Releases a letter or gives it up, with a reason; what will happen is said first. */
export function ActDialog({ act, letter, onClose }: { act: LetterAct; letter: LetterView; onClose: (done: boolean) => void }) {
  const t = useTranslations("deadLetters.act");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const done = {
    onSuccess: () => {
      refresh();
      onClose(true);
      const link = { href: `/runs/${letter.run.id}?node=${letter.node.key}`, label: t("toRun") };
      notify({ title: t(`${act}Done`, { node: letter.node.key }), link });
    },
    // Somebody else may have been quicker: what is shown is asked for again.
    onError: refresh,
  };
  const deeds = {
    release: useMutation(trpc.deadLetters.release.mutationOptions(done)),
    discard: useMutation(trpc.deadLetters.discard.mutationOptions(done)),
  };
  const deed = deeds[act];
  const waits = letter.cause === "undecidable";
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose(false);
      }}
      title={t(`${act}Title`, { node: letter.node.key })}
      verb={t(act)}
      dismiss={t("keep")}
      tone={act === "discard" ? "destroy" : "plain"}
      reason="required"
      busy={deed.isPending}
      error={deed.error ? text(deed.error) : undefined}
      onConfirm={(reason) => deed.mutate({ id: letter.id, reason })}
    >
      {act === "release" && waits ? t("releaseUndecidable") : t(`${act}Body`)}
    </ConfirmDialog>
  );
}
