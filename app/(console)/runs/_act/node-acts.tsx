"use client";
import { Ban, CheckCheck, EllipsisVertical, type LucideIcon, RotateCcw, RotateCw, SkipForward } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { IconButton } from "@/app/_ui/icon-button";
import { Menu } from "@/app/_ui/menu";
import type { NodeAction } from "@/server/domain/run/possible";
import { isUnhealthyNode } from "@/server/domain/run/states";
import { nodeTitle } from "../_run/node-words";
import { useRun } from "../_run/run-context";
import type { NodeView } from "../views";
import { actName, isDestructive, leadingAct, nodeActs } from "./model/acts";

const ICONS: Record<NodeAction, LucideIcon> = {
  retry: RotateCw,
  "rerun-from": RotateCcw,
  skip: SkipForward,
  "mark-success": CheckCheck,
  cancel: Ban,
};

/** What can be pressed for a node now: the likeliest as a button, the others in a menu. */
export function NodeActs({ node }: { node: NodeView }) {
  const t = useTranslations("run.act");
  const { role, act } = useRun();
  const acts = nodeActs(node, role);
  const leading = leadingAct(node, acts);
  const others = acts.filter((verb) => verb !== leading);
  if (acts.length === 0) return null;
  return (
    <fieldset aria-label={t("nodeLabel", { node: nodeTitle(node) })} className="m-0 ml-auto flex shrink-0 items-center gap-1 border-0 p-0">
      {leading ? (
        <Button
          look={leading === "retry" && isUnhealthyNode(node.state) ? "primary" : leading === "cancel" ? "danger" : "plain"}
          onClick={() => act({ on: "node", verb: leading, key: node.key })}
        >
          <ActIcon verb={leading} />
          {t(actName({ on: "node", verb: leading, key: node.key }))}
        </Button>
      ) : null}
      {others.length > 0 ? (
        <Menu
          trigger={<IconButton label={t("label")} icon={<EllipsisVertical size={15} aria-hidden="true" />} />}
          items={others.map((verb) => ({
            key: verb,
            label: t(actName({ on: "node", verb, key: node.key })),
            icon: <ActIcon verb={verb} />,
            tone: isDestructive({ on: "node", verb, key: node.key }) ? "danger" : "plain",
            onSelect: () => act({ on: "node", verb, key: node.key }),
          }))}
        />
      ) : null}
    </fieldset>
  );
}

function ActIcon({ verb }: { verb: NodeAction }) {
  const Icon = ICONS[verb];
  return <Icon size={13} aria-hidden="true" />;
}
