CREATE TABLE "incident_actions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"incident_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"what" text NOT NULL,
	"owner_id" text,
	"owner" text,
	"due" date,
	"proof" text NOT NULL,
	"done_at" timestamp (3) with time zone,
	"done_by" text,
	"done_note" text
);
--> statement-breakpoint
CREATE TABLE "incident_alerts" (
	"alert_id" uuid PRIMARY KEY NOT NULL,
	"incident_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_codes" (
	"project_id" uuid NOT NULL,
	"code" text NOT NULL,
	"incident_id" uuid NOT NULL,
	CONSTRAINT "incident_codes_project_id_code_incident_id_pk" PRIMARY KEY("project_id","code","incident_id")
);
--> statement-breakpoint
CREATE TABLE "incident_inbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "incident_inbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"alert_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_reviews" (
	"incident_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"form" jsonb NOT NULL,
	"saved_by" text NOT NULL,
	"saved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "incident_reviews_incident_id_revision_pk" PRIMARY KEY("incident_id","revision")
);
--> statement-breakpoint
CREATE TABLE "incident_steps" (
	"incident_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"event" text NOT NULL,
	"alert_no" integer NOT NULL,
	CONSTRAINT "incident_steps_incident_id_id_pk" PRIMARY KEY("incident_id","id")
);
--> statement-breakpoint
CREATE TABLE "incidents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"no" integer NOT NULL,
	"code" text NOT NULL,
	"pipeline_id" uuid,
	"severity" text NOT NULL,
	"state" text NOT NULL,
	"state_since" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"owner_id" text,
	"owner" text,
	"first_failure_at" timestamp (3) with time zone,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"acknowledged_at" timestamp (3) with time zone,
	"acknowledged_by" text,
	"resolved_at" timestamp (3) with time zone,
	"resolved_as" text,
	"resolved_by" text,
	"closed_at" timestamp (3) with time zone,
	"closed_by" text,
	"reviewed_at" timestamp (3) with time zone,
	"recurrence_of" uuid,
	"recurred_in" uuid,
	CONSTRAINT "incidents_severity" CHECK ("incidents"."severity" in ('P0','P1','P2','P3','P4')),
	CONSTRAINT "incidents_state" CHECK ("incidents"."state" in ('open','acknowledged','resolved','closed')),
	CONSTRAINT "incidents_resolved_as" CHECK ("incidents"."resolved_as" in ('person','itself')),
	CONSTRAINT "incidents_resolved" CHECK (("incidents"."state" in ('resolved','closed')) = ("incidents"."resolved_at" is not null)),
	CONSTRAINT "incidents_closed" CHECK (("incidents"."state" = 'closed') = ("incidents"."closed_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "incident_actions" ADD CONSTRAINT "incident_actions_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_alerts" ADD CONSTRAINT "incident_alerts_alert_id_alerts_id_fk" FOREIGN KEY ("alert_id") REFERENCES "public"."alerts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_alerts" ADD CONSTRAINT "incident_alerts_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_codes" ADD CONSTRAINT "incident_codes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_codes" ADD CONSTRAINT "incident_codes_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_reviews" ADD CONSTRAINT "incident_reviews_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_steps" ADD CONSTRAINT "incident_steps_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "incident_actions_incident" ON "incident_actions" USING btree ("incident_id","position");--> statement-breakpoint
CREATE INDEX "incident_alerts_incident" ON "incident_alerts" USING btree ("incident_id");--> statement-breakpoint
CREATE INDEX "incident_codes_incident" ON "incident_codes" USING btree ("incident_id");--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_no" ON "incidents" USING btree ("project_id","no");--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_ongoing" ON "incidents" USING btree ("project_id","code",coalesce("pipeline_id"::text, '')) WHERE "incidents"."state" in ('open','acknowledged');--> statement-breakpoint
CREATE INDEX "incidents_list" ON "incidents" USING btree ("project_id",("state" in ('resolved','closed')),"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "incidents_opened" ON "incidents" USING btree ("project_id","opened_at");--> statement-breakpoint
CREATE INDEX "incidents_code" ON "incidents" USING btree ("project_id","code","no");--> statement-breakpoint
-- Whatever incidents depend on is noted in the commit that changes the alert, whichever path the change comes by.
create function keep_for_incidents() returns trigger language plpgsql as $$
begin
  insert into incident_inbox (alert_id) values (new.id);
  return null;
end $$;
--> statement-breakpoint
create trigger alerts_inserted_incident_inbox after insert on alerts for each row execute function keep_for_incidents();
--> statement-breakpoint
create trigger alerts_changed_incident_inbox after update on alerts for each row
  when (old.grade is distinct from new.grade or old.suppressed is distinct from new.suppressed
    or old.acknowledged_at is distinct from new.acknowledged_at or old.resolved_at is distinct from new.resolved_at)
  execute function keep_for_incidents();
--> statement-breakpoint
-- Alerts from before are grouped as well, as far as they are open.
insert into incident_inbox (alert_id) select id from alerts where resolved_at is null;
