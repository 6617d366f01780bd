CREATE TABLE "code_approvals" (
	"code_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"user_id" text NOT NULL,
	"label" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "code_approvals_code_id_revision_user_id_pk" PRIMARY KEY("code_id","revision","user_id")
);
--> statement-breakpoint
CREATE TABLE "code_mappings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"from_code" text NOT NULL,
	"stack_hash" text NOT NULL,
	"shape" text NOT NULL,
	"to_code" text NOT NULL,
	"reason" text NOT NULL,
	"made_by" jsonb NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"undone_by" jsonb,
	"undone_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "error_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"code" text NOT NULL,
	"state" text DEFAULT 'proposed' NOT NULL,
	"title_en" text NOT NULL,
	"title_zh" text NOT NULL,
	"meaning_en" text NOT NULL,
	"meaning_zh" text NOT NULL,
	"owner" text NOT NULL,
	"grade" text NOT NULL,
	"impact" text NOT NULL,
	"sla_minutes" integer NOT NULL,
	"retry" jsonb,
	"playbook" text DEFAULT '' NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"proposed_by" jsonb NOT NULL,
	"proposed_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"registered_at" timestamp (3) with time zone,
	"deprecated_at" timestamp (3) with time zone,
	"deprecated_why" text,
	CONSTRAINT "error_codes_state" CHECK ("error_codes"."state" in ('proposed','registered','deprecated')),
	CONSTRAINT "error_codes_grade" CHECK ("error_codes"."grade" in ('P0','P1','P2','P3','P4')),
	CONSTRAINT "error_codes_length" CHECK (char_length("error_codes"."code") <= 64)
);
--> statement-breakpoint
DROP INDEX "error_events_code";--> statement-breakpoint
ALTER TABLE "code_approvals" ADD CONSTRAINT "code_approvals_code_id_error_codes_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."error_codes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_mappings" ADD CONSTRAINT "code_mappings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "error_codes" ADD CONSTRAINT "error_codes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "code_mappings_live" ON "code_mappings" USING btree ("project_id","from_code","stack_hash","shape") WHERE "code_mappings"."undone_at" is null;--> statement-breakpoint
CREATE INDEX "code_mappings_to" ON "code_mappings" USING btree ("project_id","to_code");--> statement-breakpoint
CREATE UNIQUE INDEX "error_codes_code" ON "error_codes" USING btree ("project_id","code");--> statement-breakpoint
CREATE INDEX "error_events_code" ON "error_events" USING btree ("project_id","code","at");--> statement-breakpoint
-- What stays of a message without what changes from one event to the next: quoted texts, and words with a digit in them.
-- The blanks stand here one by one: what else is one depends on the locale, and the engine says the same (server/domain/codes/message-shape.ts).
create function message_shape(message text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(regexp_replace(left(split_part(message, E'\n', 1), 300), '''[^'']*''|"[^"]*"', '"…"', 'g'), '[^ \t\n\v\f\r\u3000]*[0-9][^ \t\n\v\f\r\u3000]*', '#', 'g'))
$$;
--> statement-breakpoint
-- Kept with the event: the inbox, which groups by it, must not be slow in a storm.
ALTER TABLE "error_events" ADD COLUMN "shape" text GENERATED ALWAYS AS (message_shape(message)) STORED;
--> statement-breakpoint
-- What the worker said, where the inbox had been taught that it is another code's; written by apply_decisions.
ALTER TABLE "error_events" ADD COLUMN "said_code" text;
