/** Why a worker takes no new node now (WRK-3, WRK-4). A worker in another language may say more, and is shown as it says it. */
export const REFUSALS = ["drain", "breaker", "clock", "disk", "memory"] as const;
export type Refusal = (typeof REFUSALS)[number];

export const isRefusal = (text: string): text is Refusal => (REFUSALS as readonly string[]).includes(text);
