import type { NodeState } from "@/server/domain/run/states";
import {
  ChevronOverLine,
  ClockFace,
  CrossedSquare,
  DottedCircle,
  HollowCircle,
  PersonTick,
  RaisedHand,
  ReturningArc,
  SlashedCircle,
  Tick,
  TurningArc,
} from "./glyphs";
import type { StateLook } from "./look";

export const NODE_LOOKS: Record<NodeState, StateLook> = {
  PENDING: { glyph: HollowCircle, token: "state-pending", fill: "hollow", unhealthy: false, moving: false },
  QUEUED: { glyph: DottedCircle, token: "state-queued", fill: "hollow", unhealthy: false, moving: false },
  RUNNING: { glyph: TurningArc, token: "state-running", fill: "solid", unhealthy: false, moving: true },
  RETRYING: { glyph: ReturningArc, token: "state-retrying", fill: "hatched", unhealthy: false, moving: false },
  AWAITING_APPROVAL: { glyph: PersonTick, token: "state-approval", fill: "hollow", unhealthy: false, moving: false },
  MANUAL_REVIEW: { glyph: RaisedHand, token: "state-review", fill: "hatched", unhealthy: true, moving: false },
  SUCCESS: { glyph: Tick, token: "state-success", fill: "solid", unhealthy: false, moving: false },
  FAILED: { glyph: CrossedSquare, token: "state-failed", fill: "solid", unhealthy: true, moving: false },
  TIMEOUT: { glyph: ClockFace, token: "state-timeout", fill: "hatched", unhealthy: true, moving: false },
  CANCELED: { glyph: SlashedCircle, token: "state-canceled", fill: "hatched", unhealthy: false, moving: false },
  SKIPPED: { glyph: ChevronOverLine, token: "state-skipped", fill: "hollow", unhealthy: false, moving: false },
};
