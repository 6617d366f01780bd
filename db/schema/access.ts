import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytea, id, instant } from "./columns";

export const projects = pgTable("projects", {
  id: id().primaryKey(),
  /** Stands in URLs and REST paths: a-z 0-9 -. */
  key: text("key").notNull().unique(),
  title: text("title").notNull(),
  settings: jsonb("settings").$type<Record<string, unknown>>().notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
});

export const users = pgTable("users", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull().unique(),
  emailVerified: boolean("email_verified").notNull().default(false),
  image: text("image"),
  /** An administrator of the whole installation holds every role in every project. */
  isAdmin: boolean("is_admin").notNull().default(false),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
});

export const sessions = pgTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    token: text("token").notNull().unique(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index("sessions_user").on(t.userId)],
);

/** Sign-in methods of a user, as better-auth keeps them. */
export const accounts = pgTable(
  "accounts",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: instant("access_token_expires_at"),
    refreshTokenExpiresAt: instant("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index("accounts_user").on(t.userId)],
);

export const verifications = pgTable(
  "verifications",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: instant("expires_at").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index("verifications_identifier").on(t.identifier)],
);

export const memberships = pgTable(
  "memberships",
  {
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.userId] }),
    index("memberships_user").on(t.userId),
    check("memberships_role", sql`${t.role} in ('viewer','operator','editor','admin')`),
  ],
);

/** Only the SHA-256 of a service token is kept; the token itself is shown once. */
export const serviceTokens = pgTable(
  "service_tokens",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    role: text("role").notNull(),
    hash: text("hash").notNull().unique(),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    expiresAt: instant("expires_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (t) => [
    index("service_tokens_project").on(t.projectId),
    check("service_tokens_role", sql`${t.role} in ('viewer','operator','editor','admin')`),
  ],
);

/** Links that work once: the first administrator's sign-in. */
export const oneTimeLinks = pgTable("one_time_links", {
  hash: text("hash").primaryKey(),
  purpose: text("purpose").notNull(),
  createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  expiresAt: instant("expires_at").notNull(),
  usedAt: instant("used_at"),
});

/** AES-256-GCM under a data key that the master key wraps; the master key is never in the database. */
export const secrets = pgTable(
  "secrets",
  {
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    version: integer("version").notNull().default(1),
    keyId: text("key_id").notNull(),
    wrappedKey: bytea("wrapped_key").notNull(),
    nonce: bytea("nonce").notNull(),
    ciphertext: bytea("ciphertext").notNull(),
    createdBy: text("created_by").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.name] })],
);

/** Private targets that an administrator opened for the guarded HTTP client (SEC-2). */
export const allowedHosts = pgTable(
  "allowed_hosts",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    host: text("host").notNull(),
    port: integer("port").notNull(),
    reason: text("reason").notNull().default(""),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [uniqueIndex("allowed_hosts_target").on(t.projectId, t.host, t.port)],
);
