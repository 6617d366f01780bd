"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { SearchInput } from "@/app/_ui/search-input";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { type Cluster, inLanguage } from "./views";

interface MapCodeProps {
  projectId: string;
  cluster: Cluster;
  onClose: () => void;
}

const SHOWN = 8;

/** Says of a cluster which registered code it is. */
export function MapCode({ projectId, cluster, onClose }: MapCodeProps) {
  const t = useTranslations("codes.map");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [to, setTo] = useState(cluster.suggestions[0] ?? "");
  const [reason, setReason] = useState("");
  const map = useMutation(
    trpc.codes.map.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("done", { from: cluster.code, to }), link: { href: `/codes/${to}`, label: t("open") } });
      },
      onError: refresh,
    }),
  );
  const { code, stackHash, shape } = cluster;
  return (
    <FormDialog
      title={t("title")}
      lead={t("lead", { code })}
      verb={t("verb")}
      busy={map.isPending}
      disabled={to === "" || reason.trim() === ""}
      error={map.error ? text(map.error) : null}
      onClose={onClose}
      onSubmit={() => map.mutate({ projectId, from: { code, stackHash, shape }, to, reason: reason.trim() })}
    >
      <CodeChoice projectId={projectId} chosen={to} onChoose={setTo} />
      <Field label={t("reason")} hint={t("reasonHint")}>
        <Textarea rows={2} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

interface CodeChoiceProps {
  projectId: string;
  chosen: string;
  onChoose: (code: string) => void;
}

function CodeChoice({ projectId, chosen, onChoose }: CodeChoiceProps) {
  const t = useTranslations("codes.map");
  const locale = useLocale();
  const trpc = useTRPC();
  const [search, setSearch] = useState(chosen);
  const found = useQuery(trpc.codes.list.queryOptions({ projectId, state: "registered", limit: SHOWN, ...(search ? { search } : {}) }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 border-0 p-0">
      <legend className="mb-1 font-medium text-ink-2 text-meta">{t("to")}</legend>
      <SearchInput label={t("find")} value={search} onValue={setSearch} />
      {found.data?.items.length === 0 ? <p className="text-ink-3 text-table">{t("none")}</p> : null}
      {found.data?.items.map((item) => (
        <label key={item.code} className="flex cursor-pointer items-baseline gap-2 rounded-sm px-1 py-0.5 text-table hover:bg-hover">
          <input type="radio" name="to" value={item.code} checked={chosen === item.code} onChange={() => onChoose(item.code)} />
          <span className="min-w-0">
            <span className="break-all font-mono text-meta">{item.code}</span>{" "}
            <span className="text-ink-2">{inLanguage(item, locale).title}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
