export interface Answer {
  /** 0 where the server could not be reached. */
  status: number;
  ok: boolean;
  /** The answer's JSON object; empty where it was none. */
  body: Record<string, unknown>;
}

export async function postJson(url: string, body: Record<string, unknown>): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json().catch(() => null);
    return {
      status: response.status,
      ok: response.ok,
      body: answer !== null && typeof answer === "object" ? (answer as Record<string, unknown>) : {},
    };
  } catch {
    return { status: 0, ok: false, body: {} };
  }
}

/** Where to go after signing in: only ever a path of this console. */
export function safeNext(next: string | null | undefined): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : "/";
}
