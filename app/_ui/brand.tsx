/** A ring with its satellite at eleven: an orbit, a clock, and the number. */
export function Mark({ size = 20, className }: { size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} fill="none" aria-hidden="true" className={className}>
      <path d="M8.5 3.1a7 7 0 1 1-3.9 2.2" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      <circle cx="6.5" cy="3.94" r="1.9" fill="currentColor" />
      <path d="M10 6.2V10l2.6 1.9" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

export const PRODUCT = "Apollo-11";

/** The name beside its mark. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={className}>
      {"Apollo"}
      <span className="font-mono font-normal text-ink-3">{"-11"}</span>
    </span>
  );
}
