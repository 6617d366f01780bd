import type { ComponentType } from "react";

export interface GlyphProps {
  size?: number;
  /** The number that a retry carries. */
  n?: number;
  className?: string;
}

export interface StateLook {
  /** Its shape alone tells it from every other state. */
  glyph: ComponentType<GlyphProps>;
  /** The colour token, without the `--`. */
  token: `state-${string}`;
  /** How areas and bars of this state are filled. */
  fill: "solid" | "hollow" | "hatched";
  /** Counts as unhealthy: bars get a foot, lists sort it up. */
  unhealthy: boolean;
  /** Moves by itself: the glyph turns unless motion is reduced. */
  moving: boolean;
}

export const colorOf = (look: Pick<StateLook, "token">): string => `var(--${look.token})`;
