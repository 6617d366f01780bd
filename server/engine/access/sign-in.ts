/** A session as the sign-in keeps it; whether it still holds is decided by `findSessionPrincipal`. */
export interface SessionFacts {
  readonly id: string;
  readonly userId: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
}

/** The port behind which passwords become sessions and cookies become users. */
export interface SignIn {
  /** The HTTP surface of signing in and out, as browsers call it. */
  handle(request: Request): Promise<Response>;
  /** The session that a request's cookie names, signature checked; null when there is none. */
  findSession(headers: Headers): Promise<SessionFacts | null>;
  /** Signs in as if the form had been sent; the response carries the cookie. */
  signIn(credentials: { readonly email: string; readonly password: string }, headers: Headers): Promise<Response>;
}

/** Under this name a request to the sign-in carries the address that its caller vouches for; no other header says where it came from. */
export const ADDRESS_HEADER = "x-apollo-client";

/** A session ends after this long without a request, and after this long in any case. */
export const IDLE_MS = 30 * 60_000;
export const ABSOLUTE_MS = 12 * 60 * 60_000;
