CREATE TABLE "group_limits" (
	"name" text PRIMARY KEY NOT NULL,
	"slots" integer NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_limits_slots" CHECK ("group_limits"."slots" between 1 and 1000)
);
--> statement-breakpoint
CREATE TABLE "pools" (
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"slots" integer NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "pools_project_id_name_pk" PRIMARY KEY("project_id","name"),
	CONSTRAINT "pools_slots" CHECK ("pools"."slots" between 1 and 1000)
);
--> statement-breakpoint
DROP INDEX "node_runs_ready";
--> statement-breakpoint
DROP INDEX "slots_free";
--> statement-breakpoint
ALTER TABLE "node_runs" ADD COLUMN "pool_key" text DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "slots" ADD COLUMN "retired" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "node_runs_ready" ON "node_runs" USING btree ("worker_group","pool_key","rank") WHERE "node_runs"."state" = 'QUEUED' and not "node_runs"."held";
--> statement-breakpoint
CREATE INDEX "slots_free" ON "slots" USING btree ("key","no") WHERE "slots"."run_id" is null and not "slots"."retired";
--> statement-breakpoint
-- Many writes to few rows: cleaned by the number of dead ones and not by a share.
ALTER TABLE "slots" SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
