CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"target" text NOT NULL,
	"events" text[] NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"disabled_why" text,
	"revision" integer DEFAULT 1 NOT NULL,
	"sealed_version" integer DEFAULT 1 NOT NULL,
	"wrapped_key" "bytea" NOT NULL,
	"nonce" "bytea" NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"run_cursor" bigint NOT NULL,
	"bus_cursor" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"resume_at" timestamp (3) with time zone,
	"busy_until" timestamp (3) with time zone,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"project_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"event" jsonb NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"give_up_at" timestamp (3) with time zone NOT NULL,
	"last_tried_at" timestamp (3) with time zone,
	"status" integer,
	"ms" integer,
	"error" text,
	"response" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_deliveries_state" CHECK ("webhook_deliveries"."state" in ('waiting','sent','failed'))
);
--> statement-breakpoint
CREATE TABLE "bus_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bus_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"project_id" uuid,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"data" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bus_marks" (
	"source" text PRIMARY KEY NOT NULL,
	"sealed" bigint NOT NULL,
	"pending" bigint NOT NULL,
	"pending_xid" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retention_rules" (
	"noun" text PRIMARY KEY NOT NULL,
	"keep_days" integer,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retention_passes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"done" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"error" text
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhooks_name" ON "webhooks" USING btree ("project_id","name") WHERE "webhooks"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_once" ON "webhook_deliveries" USING btree ("webhook_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("webhook_id","subject","seq") WHERE "webhook_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_log" ON "webhook_deliveries" USING btree ("webhook_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended" ON "webhook_deliveries" USING btree ("ended_at") WHERE "webhook_deliveries"."state" <> 'waiting';--> statement-breakpoint
CREATE INDEX "bus_events_at" ON "bus_events" USING btree ("at");--> statement-breakpoint
-- What the bus reads of run events: a range of ids across runs. A BRIN costs an insert next to nothing. Here only months that are
-- small get it, so that nobody waits for it; coming months are made with it, and what is large already goes without.
CREATE INDEX "run_events_id" ON ONLY "run_events" USING brin ("id") WITH (pages_per_range = 32, autosummarize = on);
--> statement-breakpoint
do $$
declare
  part regclass;
begin
  for part in select inhrelid::regclass from pg_inherits where inhparent = 'run_events'::regclass loop
    continue when pg_relation_size(part) > 64 * 1024 * 1024;
    execute format('create index %I on %s using brin (id) with (pages_per_range = 32, autosummarize = on)', part::text || '_id_brin', part);
    execute format('alter index run_events_id attach partition %I', part::text || '_id_brin');
  end loop;
end $$;
--> statement-breakpoint
-- What happens outside of runs is noted in the commit that changes it, whichever path the change comes by. None of these tables
-- is written by a claim or a settle; what happens to runs is read from their own events.
create function note_event(project uuid, type text, subject text, data jsonb) returns void language sql as $$
  insert into bus_events (project_id, type, subject, data) values (project, type, subject, jsonb_strip_nulls(data))
$$;
--> statement-breakpoint
create function note_alert() returns trigger language plpgsql as $$
begin
  perform note_event(new.project_id, case when new.resolved_at is null then 'alert.opened' else 'alert.resolved' end, 'alerts/' || new.id,
    jsonb_build_object('id', new.id, 'no', new.no, 'code', new.code, 'grade', new.grade, 'message', new.message, 'object', new.label,
      'runId', new.run_id, 'node', new.node_key, 'count', new.count, 'suppressedBy', new.suppressed ->> 'kind', 'resolvedAs', new.resolved_as));
  return null;
end $$;
--> statement-breakpoint
create trigger alerts_opened_event after insert on alerts for each row execute function note_alert();
--> statement-breakpoint
create trigger alerts_resolved_event after update of resolved_at on alerts for each row
  when ((old.resolved_at is null) <> (new.resolved_at is null)) execute function note_alert();
--> statement-breakpoint
create function note_incident() returns trigger language plpgsql as $$
declare
  told constant jsonb := jsonb_build_object('id', new.id, 'no', new.no, 'code', new.code, 'severity', new.severity, 'state', new.state,
    'recurrenceOf', new.recurrence_of, 'resolvedAs', new.resolved_as);
begin
  if tg_op = 'INSERT' then
    perform note_event(new.project_id, 'incident.opened', 'incidents/' || new.id, told);
    return null;
  end if;
  if new.state <> old.state then
    perform note_event(new.project_id, 'incident.' || case new.state when 'open' then 'reopened' else new.state end, 'incidents/' || new.id, told);
  end if;
  if old.reviewed_at is null and new.reviewed_at is not null then
    perform note_event(new.project_id, 'review.published', 'incidents/' || new.id, told);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger incidents_event after insert or update of state, reviewed_at on incidents for each row execute function note_incident();
--> statement-breakpoint
create function note_breaker() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.state = old.state then return null; end if;
  elsif new.state = 'closed' then
    return null;
  end if;
  perform note_event(null, 'breaker.' || case new.state when 'open' then 'opened' else new.state end, 'workers/' || new.worker_id,
    jsonb_build_object('worker', new.worker_id, 'state', new.state, 'cause', new.why ->> 'cause', 'until', new.until));
  return null;
end $$;
--> statement-breakpoint
create trigger worker_breakers_event after insert or update of state on worker_breakers for each row execute function note_breaker();
--> statement-breakpoint
create function note_code() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.state = old.state then return null; end if;
  end if;
  perform note_event(new.project_id, 'code.' || new.state, 'codes/' || new.code,
    jsonb_build_object('code', new.code, 'state', new.state, 'titleEn', new.title_en, 'titleZh', new.title_zh, 'grade', new.grade));
  return null;
end $$;
--> statement-breakpoint
create trigger error_codes_event after insert or update of state on error_codes for each row execute function note_code();
