"use client";
import { useTranslations } from "next-intl";
import { Badge } from "@/app/_ui/badge";
import { KeyValues } from "@/app/_ui/key-values";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { ResourceChips } from "../../_parts/resource-chips";
import type { PipelineProps } from "./tabs";

/** What the live version says of itself, and who made it. */
export function Facts({ pipeline }: Pick<PipelineProps, "pipeline">) {
  const t = useTranslations("pipeline.facts");
  const { live } = pipeline;
  if (!live) return null;
  const { metadata, spec } = live.definition;
  const labels = Object.entries(metadata.labels);
  return (
    <Panel title={t("title")}>
      <KeyValues
        items={[
          { key: "owner", label: t("owner"), value: pipeline.owner },
          ...(metadata.description
            ? [
                {
                  key: "text",
                  label: t("description"),
                  value: <span className="line-clamp-6 whitespace-pre-wrap">{metadata.description}</span>,
                },
              ]
            : []),
          {
            key: "touches",
            label: t("touches"),
            value: (
              <ResourceChips
                reads={pipeline.reads}
                writes={pipeline.writes}
                onResource={(name) => window.location.assign(`/pipelines?q=${encodeURIComponent(name)}`)}
              />
            ),
          },
          { key: "nodes", label: t("nodes"), value: t("nodesOf", { n: pipeline.nodeCount, idempotent: pipeline.idempotentCount }) },
          { key: "failure", label: t("onFailure"), value: t(`failure.${spec.onFailure}`) },
          { key: "domain", label: t("domain"), value: spec.domain, mono: true },
          ...(labels.length > 0
            ? [
                {
                  key: "labels",
                  label: t("labels"),
                  value: (
                    <span className="flex flex-wrap gap-1">
                      {labels.map(([name, value]) => (
                        <Badge key={name} mono>{`${name}=${value}`}</Badge>
                      ))}
                    </span>
                  ),
                },
              ]
            : []),
          { key: "published", label: t("published"), value: <ByWhen by={live.createdBy} at={live.createdAt} /> },
          { key: "created", label: t("created"), value: <ByWhen by={pipeline.createdBy} at={pipeline.createdAt} /> },
        ]}
      />
    </Panel>
  );
}

const ByWhen = ({ by, at }: { by: string; at: Date }) => (
  <>
    {by} <Time relative at={at} className="text-ink-3 text-meta" />
  </>
);
