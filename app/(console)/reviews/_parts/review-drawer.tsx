"use client";
import { useTranslations } from "next-intl";
import { StateBadge } from "@/app/_status/state-badge";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Time } from "@/app/_ui/time";
import { NODE_ACTIONS, type NodeAction } from "@/server/domain/run/possible";
import type { ReviewRow } from "./views";

interface ReviewDrawerProps {
  review: ReviewRow;
  onClose: () => void;
  /** Left out for whoever may not decide. */
  onDecide: ((action: NodeAction) => void) | undefined;
}

/** The one that is meant most often stands last, where the hand is. */
const IN_ORDER = NODE_ACTIONS.toReversed();

/** One node that waits: why it is here, what it said, and what can be decided. */
export function ReviewDrawer({ review, onClose, onDecide }: ReviewDrawerProps) {
  const t = useTranslations("reviews");
  const { error, rule } = review;
  return (
    <Drawer
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("review.title", { node: review.node.key, pipeline: review.pipeline.title })}
      footer={
        onDecide ? (
          <div className="flex flex-wrap justify-end gap-2">
            {IN_ORDER.map((action) => (
              <Button key={action} look={action === "retry" ? "primary" : "plain"} onClick={() => onDecide(action)}>
                {t(`act.${action}.verb`)}
              </Button>
            ))}
          </div>
        ) : undefined
      }
    >
      <p className="mb-4 border-state-review border-l-2 pl-2 text-body text-ink-2">{t(`explain.${review.cause}`)}</p>
      <KeyValues
        items={[
          ...(error
            ? [
                { key: "code", label: t("review.code"), value: <Mono copy>{error.code}</Mono> },
                { key: "message", label: t("review.message"), value: error.message },
              ]
            : []),
          ...(rule
            ? [
                {
                  key: "rule",
                  label: t("review.rule"),
                  value: <Link href="/routing">{t("review.ruleOf", { name: rule.name, version: rule.version })}</Link>,
                },
              ]
            : []),
          { key: "why", label: t("review.why"), value: review.why },
          { key: "owner", label: t("review.owner"), value: review.owner },
          { key: "since", label: t("review.since"), value: <Time at={review.since} full /> },
          { key: "dueBy", label: t("review.dueBy"), value: <Time at={review.dueBy} full /> },
          { key: "attempts", label: t("review.attempts"), value: review.attempts },
          ...(review.maybeRepeated ? [{ key: "fate", label: t("review.fate"), value: t("review.fateUnknown") }] : []),
          { key: "state", label: t("review.state"), value: <StateBadge of="run" state={review.run.state} /> },
          {
            key: "run",
            label: t("review.run"),
            value: <Link href={`/runs/${review.run.id}?node=${review.node.key}`}>{review.run.id}</Link>,
            mono: true,
          },
        ]}
      />
    </Drawer>
  );
}
