import { CircleCheck, CirclePause, CircleX, Clock, TriangleAlert } from "lucide-react";
import { Badge, type Tone } from "@/app/_ui/badge";

const LOOKS = {
  on: { icon: CircleCheck, tone: "good" },
  paused: { icon: CirclePause, tone: "neutral" },
  failing: { icon: TriangleAlert, tone: "warn" },
  disabled: { icon: CircleX, tone: "bad" },
  sent: { icon: CircleCheck, tone: "good" },
  waiting: { icon: Clock, tone: "neutral" },
  failed: { icon: CircleX, tone: "bad" },
} as const satisfies Record<string, { icon: typeof Clock; tone: Tone }>;

/** How a webhook or one of its deliveries stands: by shape, word and colour. */
export function WebhookState({ state, children }: { state: keyof typeof LOOKS; children: string }) {
  const { icon: Icon, tone } = LOOKS[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden="true" />}>
      {children}
    </Badge>
  );
}
