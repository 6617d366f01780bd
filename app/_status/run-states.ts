import type { RunState } from "@/server/domain/run/states";
import { CrossedSquare, HollowCircle, SlashedCircle, Tick, TurningArc, TwoBars } from "./glyphs";
import type { StateLook } from "./look";

export const RUN_LOOKS: Record<RunState, StateLook> = {
  PENDING: { glyph: HollowCircle, token: "state-pending", fill: "hollow", unhealthy: false, moving: false },
  RUNNING: { glyph: TurningArc, token: "state-running", fill: "solid", unhealthy: false, moving: true },
  PAUSED: { glyph: TwoBars, token: "state-paused", fill: "hatched", unhealthy: true, moving: false },
  SUCCESS: { glyph: Tick, token: "state-success", fill: "solid", unhealthy: false, moving: false },
  FAILED: { glyph: CrossedSquare, token: "state-failed", fill: "solid", unhealthy: true, moving: false },
  CANCELED: { glyph: SlashedCircle, token: "state-canceled", fill: "hatched", unhealthy: false, moving: false },
};
