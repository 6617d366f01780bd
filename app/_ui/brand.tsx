/** A planet and its satellite, which stands at eleven: an orbit, a clock, and the number. */
export function Mark({ size = 20, className }: { size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} fill="none" aria-hidden="true" className={className}>
      <path d="M9.53 2.81A7.5 7.5 0 1 1 3.38 6.78" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
      <circle cx="6.25" cy="3.81" r="2.15" fill="currentColor" />
      <circle cx="10" cy="10.3" r="2.7" fill="currentColor" />
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
