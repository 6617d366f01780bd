"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { OptionList } from "@/app/_ui/option-list";
import { Popover } from "@/app/_ui/popover";

interface PipelinePickerProps {
  projectId: string;
  /** Name of the chosen one. */
  chosen: string | null;
  open: boolean;
  onOpen: (open: boolean) => void;
  trigger: ReactNode;
  onChoose: (name: string | null) => void;
}

const ANY = "";
const MOST = 50;

export function PipelinePicker({ projectId, chosen, open, onOpen, trigger, onChoose }: PipelinePickerProps) {
  const t = useTranslations("runs.filter");
  const trpc = useTRPC();
  const [query, setQuery] = useState("");
  const search = query.trim();
  const found = useQuery({
    ...trpc.pipelines.list.queryOptions({ projectId, limit: MOST, ...(search === "" ? {} : { search }) }),
    enabled: open,
    placeholderData: keepPreviousData,
  });
  const pipelines = found.data?.items ?? [];
  return (
    <Popover label={t("pipeline")} open={open} onOpen={onOpen} trigger={trigger} className="w-80 p-0">
      <OptionList
        filtered
        label={t("pipeline")}
        placeholder={t("pipelineSearch")}
        query={query}
        onQuery={setQuery}
        listClassName="max-h-80"
        options={[
          ...(search === "" ? [{ key: ANY, text: "", label: t("anyPipeline"), chosen: chosen === null }] : []),
          ...pipelines.map(({ name, title }) => ({ key: name, text: name, label: title, hint: name, chosen: name === chosen })),
        ]}
        onChoose={(name) => {
          onOpen(false);
          setQuery("");
          onChoose(name === ANY ? null : name);
        }}
      />
    </Popover>
  );
}
