"use client";
import { Ban, EllipsisVertical, type LucideIcon, Pause, Play, RotateCcw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { IconButton } from "@/app/_ui/icon-button";
import { Menu, type MenuItem } from "@/app/_ui/menu";
import { roleAllows } from "@/server/domain/access/roles";
import { useRun } from "../_run/run-context";
import { StartDialog } from "../_start/start-dialog";
import { actName, leadingRunActs, type RunVerb, runActs } from "./model/acts";

const ICONS: Record<RunVerb, LucideIcon> = { resume: Play, pause: Pause, cancel: Ban, again: RotateCcw };

/** What can be pressed for the whole run now. */
export function RunActs() {
  const t = useTranslations("run.act");
  const { run, role, act } = useRun();
  const [starting, setStarting] = useState(false);
  const acts = runActs(run, role);
  const shown = leadingRunActs(run, acts);
  const items: MenuItem[] = acts
    .filter((verb) => !shown.includes(verb))
    .map((verb) => ({
      key: verb,
      label: t(actName({ on: "run", verb })),
      icon: <ActIcon verb={verb} />,
      onSelect: () => act({ on: "run", verb }),
    }));
  if (role && roleAllows(role, "run.trigger")) {
    items.push({
      key: "changed",
      label: t("againChanged"),
      icon: <Play size={13} aria-hidden="true" />,
      onSelect: () => setStarting(true),
    });
  }
  if (acts.length + items.length === 0) return null;
  return (
    <fieldset aria-label={t("runLabel")} className="m-0 flex items-center gap-2 border-0 p-0">
      {shown.map((verb) => (
        <Button
          key={verb}
          look={verb === "cancel" ? "danger" : verb === "resume" ? "primary" : "plain"}
          onClick={() => act({ on: "run", verb })}
        >
          <ActIcon verb={verb} />
          {t(actName({ on: "run", verb }))}
        </Button>
      ))}
      {items.length > 0 ? (
        <Menu
          trigger={<IconButton look="plain" label={t("more")} icon={<EllipsisVertical size={15} aria-hidden="true" />} />}
          items={items}
        />
      ) : null}
      {starting ? <StartDialog run={run} onClose={() => setStarting(false)} /> : null}
    </fieldset>
  );
}

function ActIcon({ verb }: { verb: RunVerb }) {
  const Icon = ICONS[verb];
  return <Icon size={13} aria-hidden="true" />;
}
