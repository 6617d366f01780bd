"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { useFailureText } from "../../_query/use-failure-text";
import type { AlertDetails } from "./views";

/** The same buttons that the message carries, what is to be done first; each leads to the page that says what will happen. */
export function AlertButtons({ alert: { id } }: { alert: AlertDetails }) {
  const t = useTranslations("links");
  const trpc = useTRPC();
  const router = useRouter();
  const text = useFailureText();
  const offered = useQuery(trpc.links.offered.queryOptions({ alertId: id }));
  const make = useMutation(
    trpc.links.make.mutationOptions({
      onSuccess: ({ path }) => router.push(path),
      onError: () => void offered.refetch(),
    }),
  );
  const { actions = [], required = null } = offered.data ?? {};
  if (actions.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold text-table">
        {t("offered")} <span className="font-normal text-ink-3">{t("offeredLead")}</span>
      </h3>
      {make.error ? <p className="border-state-failed border-l-2 pl-2 text-state-failed text-table">{text(make.error)}</p> : null}
      <div className="flex flex-wrap gap-2">
        {actions.map((action) => (
          <Button
            key={action}
            look={action === required ? "primary" : "plain"}
            busy={make.isPending && make.variables.action === action}
            disabled={make.isPending}
            onClick={() => make.mutate({ alertId: id, action })}
          >
            {t(`action.${action}`)}
            {action === required ? <span className="sr-only">{`, ${t("first")}`}</span> : null}
          </Button>
        ))}
      </div>
    </section>
  );
}
