"use client";
import { useTranslations } from "next-intl";
import { StateDot } from "@/app/_status/state-badge";
import { cn } from "@/app/_ui/class-names";
import { Time } from "@/app/_ui/time";
import { NODE_STATES, type NodeState, RUN_STATES, type RunState } from "@/server/domain/run/states";
import type { RunEventView } from "../views";
import { codeOf, eventKey, isLate, reasonOf } from "./model/event-key";

const nodeState = (text: string | null): NodeState | null => NODE_STATES.find((state) => state === text) ?? null;
const runState = (text: string | null): RunState | null => RUN_STATES.find((state) => state === text) ?? null;

export function useEventWords(): (event: RunEventView) => string {
  const t = useTranslations("run.event");
  return (event) => t(eventKey(event), { node: event.nodeKey ?? "", event: event.event });
}

export function useActorWord(): (actor: RunEventView["actor"]) => string {
  const t = useTranslations("run.actor");
  return (actor) => t(actor.kind, { name: actor.label });
}

interface EventListProps {
  events: readonly RunEventView[];
  label: string;
  chosen?: string | null;
  /** Where each line leads; without it the lines are not pressed. */
  onNode?: (key: string) => void;
  className?: string;
}

/** What happened, the oldest first: a rail of the states reached, with who did it and why. */
export function EventList({ events, label, chosen, onNode, className }: EventListProps) {
  return (
    <ol aria-label={label} className={cn("grid grid-cols-[max-content_1rem_minmax(0,1fr)] gap-x-2", className)}>
      {events.map((event) => (
        <EventLine key={event.id} event={event} chosen={event.nodeKey !== null && event.nodeKey === chosen} onNode={onNode} />
      ))}
    </ol>
  );
}

function EventLine({ event, chosen, onNode }: { event: RunEventView; chosen: boolean; onNode?: (key: string) => void }) {
  const t = useTranslations("run.timeline");
  const words = useEventWords();
  const actor = useActorWord();
  const { nodeKey } = event;
  const reason = reasonOf(event);
  const code = codeOf(event);
  const text = words(event);
  return (
    <li className={cn("col-span-3 grid grid-cols-subgrid items-start border-b py-1.5 text-table", chosen && "bg-selected")}>
      <Time bare precision="ms" at={event.at} className="pl-4 text-ink-3 text-meta leading-5" />
      <span className="flex h-5 items-center">
        <Reached event={event} />
      </span>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 pr-4">
        {nodeKey && onNode ? (
          <button type="button" onClick={() => onNode(nodeKey)} className="text-left hover:underline hover:underline-offset-3">
            {text}
          </button>
        ) : (
          <span>{text}</span>
        )}
        {event.attemptNo ? <span className="text-ink-3 text-meta">{t("attempt", { no: event.attemptNo })}</span> : null}
        {code ? <code className="font-mono text-ink-2 text-meta">{code}</code> : null}
        <span className="ml-auto text-ink-3 text-meta">{actor(event.actor)}</span>
        {isLate(event) ? <span className="basis-full text-ink-3 text-meta">{t("superseded")}</span> : null}
        {reason ? <span className="basis-full break-words text-ink-2 text-meta">{t("reason", { reason })}</span> : null}
      </span>
    </li>
  );
}

function Reached({ event }: { event: RunEventView }) {
  const node = nodeState(event.to);
  const run = runState(event.to);
  if (event.nodeKey !== null && node) return <StateDot of="node" state={node} />;
  if (event.nodeKey === null && run) return <StateDot of="run" state={run} />;
  return <span aria-hidden="true" className="mx-auto size-1 rounded-full bg-line-strong" />;
}
