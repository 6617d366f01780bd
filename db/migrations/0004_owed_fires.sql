CREATE TABLE "owed_fires" (
	"schedule_id" uuid NOT NULL,
	"schedule_version" integer NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"expression" text NOT NULL,
	"dialect" text NOT NULL,
	"timezone" text NOT NULL,
	"gap" text NOT NULL,
	"fold" text NOT NULL,
	"reason" text NOT NULL,
	"cursor_at" timestamp (3) with time zone NOT NULL,
	"until_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "owed_fires_schedule_id_schedule_version_pk" PRIMARY KEY("schedule_id","schedule_version")
);
--> statement-breakpoint
ALTER TABLE "owed_fires" ADD CONSTRAINT "owed_fires_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "owed_fires_project" ON "owed_fires" USING btree ("project_id");