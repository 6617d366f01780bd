import { Braces, Globe, Hourglass, type LucideIcon, SquareTerminal } from "lucide-react";
import type { NodeType } from "@/server/domain/pipeline/definition";

const ICONS: Record<NodeType, LucideIcon> = { http: Globe, command: SquareTerminal, handler: Braces, wait: Hourglass };

/** What a node does, as a sign; its word stands beside it or in the form. */
export function NodeTypeIcon({ type, size = 15 }: { type: NodeType; size?: number }) {
  const Icon = ICONS[type];
  return <Icon size={size} strokeWidth={1.75} aria-hidden="true" />;
}
