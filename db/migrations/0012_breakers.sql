CREATE TABLE "worker_breakers" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone,
	"next_probe_at" timestamp (3) with time zone,
	"probe_id" uuid,
	"probe_asked_at" timestamp (3) with time zone,
	"successes" integer DEFAULT 0 NOT NULL,
	"last_probe" jsonb,
	"why" jsonb,
	"count_from" timestamp (3) with time zone NOT NULL,
	"last_success_at" timestamp (3) with time zone,
	"checked_until" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "worker_breakers_state" CHECK ("worker_breakers"."state" in ('closed','open','probing','held')),
	CONSTRAINT "worker_breakers_until" CHECK (("worker_breakers"."state" = 'open') = ("worker_breakers"."until" is not null))
);
--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "tripped" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A BRIN, since unlike any other index it leaves an update within its page: claims and settles pay next to nothing for it.
CREATE INDEX "attempts_ended" ON "attempts" USING brin ("committed_at") WITH (autosummarize = on);--> statement-breakpoint
CREATE INDEX "error_events_worker" ON "error_events" USING btree ("worker_id","at");