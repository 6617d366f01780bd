"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { Channel } from "./views";

/** Sends a test now and says how the channel answered. */
export function TestButton({ channel }: { channel: Channel }) {
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const test = useMutation(
    trpc.channels.test.mutationOptions({
      onSuccess: ({ ok, error }) =>
        notify(
          ok
            ? { title: t("tested", { name: channel.name }) }
            : { title: t("testFailed", { name: channel.name }), detail: error ?? "", tone: "bad" },
        ),
      onError: (error) => notify({ title: t("testFailed", { name: channel.name }), detail: text(error), tone: "bad" }),
      onSettled: refresh,
    }),
  );
  return (
    <Button
      size="sm"
      busy={test.isPending}
      aria-label={t("testName", { name: channel.name })}
      onClick={() => test.mutate({ id: channel.id })}
    >
      {t("test")}
    </Button>
  );
}
