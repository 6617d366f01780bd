import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import { accounts, sessions, users, verifications } from "@/db/schema/access";
import { hashPassword, verifyPassword } from "@/server/engine/access/password";
import { recordSignIn } from "@/server/engine/access/record-sign-in";
import { ABSOLUTE_MS, ADDRESS_HEADER, type SignIn } from "@/server/engine/access/sign-in";
import type { Ctx } from "@/server/engine/context";
import { accountAttempts } from "./auth-attempts";

export interface SignInOptions {
  readonly baseUrl: string;
  readonly cookieSecret: string;
  /** Of one address, per minute. */
  readonly signInsPerMinute: number;
  /** Acts for the sign-in itself: its rows, its audit. */
  readonly ctx: Ctx;
}

const SIGN_IN = "/sign-in/email";
const ORIGIN_HEADER = "host";

/** E-mail and password by better-auth, on our own tables. Nobody signs up: an administrator adds members. */
export function openSignIn(options: SignInOptions): SignIn {
  const auth = createAuth(options);
  return {
    handle: (request) => auth.handler(request),
    findSession: async (headers) => {
      const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
      if (!found) return null;
      const { id, userId, createdAt, updatedAt } = found.session;
      return { id, userId, startedAt: createdAt, seenAt: updatedAt };
    },
    signIn: (body, headers) => auth.api.signInEmail({ body, headers, asResponse: true }),
  };
}

function createAuth({ baseUrl, cookieSecret, signInsPerMinute, ctx }: SignInOptions) {
  const secure = baseUrl.startsWith("https://");
  return betterAuth({
    appName: "Apollo-11",
    baseURL: baseUrl,
    basePath: "/api/auth",
    secret: cookieSecret,
    telemetry: { enabled: false },
    logger: { log: (level, message) => ctx.log[level]({ from: "sign-in" }, message) },
    database: drizzleAdapter(ctx.db, {
      provider: "pg",
      schema: { user: users, session: sessions, account: accounts, verification: verifications },
    }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: {
        hash: (password) => hashPassword(password, ctx.ids.randomHex(16)),
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    // The absolute limit alone: the idle limit is judged where the session becomes a principal.
    session: { expiresIn: ABSOLUTE_MS / 1_000, disableSessionRefresh: true },
    rateLimit: {
      enabled: true,
      storage: "memory",
      window: 60,
      max: 300,
      customRules: { [SIGN_IN]: { window: 60, max: signInsPerMinute } },
    },
    trustedOrigins: (request) => ownOrigins(request),
    advanced: {
      // Said aloud, because the library leaves them out where it believes to run in a test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      // `__Host-` binds the cookie to this host and path; the library's own prefix would be `__Secure-`.
      useSecureCookies: false,
      cookiePrefix: secure ? "__Host-apollo" : "apollo",
      defaultCookieAttributes: { httpOnly: true, secure, sameSite: "lax", path: "/" },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => ctx.ids.uuid() },
    },
    disabledPaths: [
      "/sign-up/email",
      "/update-user",
      "/change-email",
      "/delete-user",
      "/change-password",
      "/request-password-reset",
      "/reset-password",
    ],
    databaseHooks: { session: { create: { after: (session) => recordSignIn(fromRequest(ctx, session), { userId: session.userId }) } } },
    hooks: throttle(ctx, signInsPerMinute),
  });
}

/** The origin under which this very request reached us; another site's page cannot choose the Host of a request. */
function ownOrigins(request?: Request): string[] {
  const host = request?.headers.get(ORIGIN_HEADER);
  return host ? [`http://${host}`, `https://${host}`] : [];
}

const fromRequest = (ctx: Ctx, session: { ipAddress?: string | null; userAgent?: string | null }): Ctx => ({
  ...ctx,
  source: { id: ctx.ids.uuid(), via: "console", ip: session.ipAddress || null, userAgent: session.userAgent || null },
});

function throttle(ctx: Ctx, signInsPerMinute: number) {
  const attempts = accountAttempts(() => ctx.clock.now().getTime(), Math.max(10, signInsPerMinute));
  const accountOf = (body: unknown) =>
    typeof body === "object" && body !== null && "email" in body && typeof body.email === "string" ? body.email.trim().toLowerCase() : null;
  return {
    before: createAuthMiddleware(async (request) => {
      const account = request.path === SIGN_IN ? accountOf(request.body) : null;
      if (account && attempts.blocked(account)) {
        throw new APIError("TOO_MANY_REQUESTS", { message: "Too many failed sign-ins of this account. Wait 15 minutes." });
      }
    }),
    after: createAuthMiddleware(async (request) => {
      const account = request.path === SIGN_IN ? accountOf(request.body) : null;
      if (!account) return;
      if (request.context.newSession) attempts.succeeded(account);
      else {
        attempts.failed(account);
        ctx.log.warn({ account }, "a sign-in was refused");
      }
    }),
  };
}
