import type { ReactNode } from "react";
import type { GlyphProps } from "./look";

function Glyph({ size = 16, className, children }: GlyphProps & { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={className}
    >
      {children}
    </svg>
  );
}

export const HollowCircle = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="5.25" />
  </Glyph>
);

export const DottedCircle = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="5.5" strokeDasharray="0.01 4.32" strokeWidth="2.4" />
    <circle cx="8" cy="8" r="1.6" fill="currentColor" stroke="none" />
  </Glyph>
);

export const TurningArc = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="5.75" strokeOpacity=".28" strokeWidth="2" />
    <path d="M8 2.25A5.75 5.75 0 0 1 13.75 8" strokeWidth="2.25" className="spin-arc [transform-box:view-box]" />
  </Glyph>
);

/** An arc that comes back, with the number of the retry in it. */
export const ReturningArc = ({ n, ...props }: GlyphProps) => (
  <Glyph {...props}>
    <path d="M13.9 6.2A6.2 6.2 0 1 0 14 9.6" strokeWidth="1.6" />
    <path d="M14.4 2.9v3.4H11" strokeWidth="1.6" />
    {n === undefined ? (
      <circle cx="8" cy="8" r="1.5" fill="currentColor" stroke="none" />
    ) : (
      <text x="8" y="10.9" fontSize="8" fontWeight="700" textAnchor="middle" fill="currentColor" stroke="none">
        {n > 9 ? "9" : n}
      </text>
    )}
  </Glyph>
);

export const Tick = (props: GlyphProps) => (
  <Glyph {...props}>
    <path d="M2.75 8.5 6.25 12 13.25 4.25" strokeWidth="2.1" />
  </Glyph>
);

export const CrossedSquare = (props: GlyphProps) => (
  <Glyph {...props}>
    <rect x="1.75" y="1.75" width="12.5" height="12.5" rx="1.5" fill="currentColor" stroke="none" />
    <path d="m5.4 5.4 5.2 5.2m0-5.2-5.2 5.2" stroke="var(--panel)" strokeWidth="1.9" />
  </Glyph>
);

export const ClockFace = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 4.5V8l2.4 1.6" />
  </Glyph>
);

export const RaisedHand = (props: GlyphProps) => (
  <Glyph {...props}>
    <path
      d="M5 8.2V4.1a1 1 0 0 1 2 0V2.9a1 1 0 0 1 2 0v1a1 1 0 0 1 2 0v1.4a1 1 0 0 1 2 0v4.2c0 2.9-1.8 4.9-4.5 4.9-1.9 0-3-.8-3.9-2.2L2.7 9.4a1 1 0 0 1 1.6-1.1L5 9.2Z"
      strokeWidth="1.4"
    />
    <path d="M7 4v3.4M9 4v3.4m2-2.2v2.2" strokeWidth="1.4" />
  </Glyph>
);

export const PersonTick = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="6" cy="4.9" r="2.6" strokeWidth="1.6" />
    <path d="M1.5 13.5c0-2.6 1.8-4.3 4.5-4.3 1 0 1.9.2 2.6.7" strokeWidth="1.6" />
    <path d="m9.4 12.2 1.7 1.7 3.3-3.8" strokeWidth="1.8" />
  </Glyph>
);

export const SlashedCircle = (props: GlyphProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="5.75" strokeWidth="1.6" />
    <path d="m12 4-8 8" strokeWidth="1.6" />
  </Glyph>
);

export const ChevronOverLine = (props: GlyphProps) => (
  <Glyph {...props}>
    <path d="m3.5 8.6 4.5-4.4 4.5 4.4" />
    <path d="M2.5 12.5h11" strokeDasharray="2 2.4" />
  </Glyph>
);

export const TwoBars = (props: GlyphProps) => (
  <Glyph {...props}>
    <rect x="3.2" y="2.5" width="3.4" height="11" rx=".6" fill="currentColor" stroke="none" />
    <rect x="9.4" y="2.5" width="3.4" height="11" rx=".6" fill="currentColor" stroke="none" />
  </Glyph>
);
