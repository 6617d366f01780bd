CREATE TABLE "review_settings" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"sla_minutes" integer NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "review_settings_sla" CHECK ("review_settings"."sla_minutes" between 1 and 525600)
);
--> statement-breakpoint
CREATE TABLE "routing_versions" (
	"project_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"rules" jsonb NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "routing_versions_project_id_version_pk" PRIMARY KEY("project_id","version"),
	CONSTRAINT "routing_versions_version" CHECK ("routing_versions"."version" > 0)
);
--> statement-breakpoint
ALTER TABLE "node_runs" DROP CONSTRAINT "node_runs_skip_cause";--> statement-breakpoint
ALTER TABLE "review_settings" ADD CONSTRAINT "review_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routing_versions" ADD CONSTRAINT "routing_versions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE TABLE "review_items" (
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"code" text,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_items_run_id_node_key_pk" PRIMARY KEY("run_id","node_key")
);
--> statement-breakpoint
CREATE INDEX "review_items_queue" ON "review_items" USING btree ("project_id","since","run_id","node_key","code");--> statement-breakpoint
-- What waits for a person stands in a queue of its project, written in the commit that brings it there or takes it away: a look
-- at one project's queue walks no other's, and the tables of runs need no index for it.
create function keep_review() returns trigger language plpgsql as $$
begin
  if new.state = 'MANUAL_REVIEW' then
    insert into review_items (run_id, node_key, project_id, pipeline_id, code, since)
      select new.run_id, new.key, r.project_id, r.pipeline_id, new.error_code, coalesce(new.ended_at, clock_timestamp())
      from runs r where r.id = new.run_id
      on conflict (run_id, node_key) do update set code = excluded.code, since = excluded.since;
  else
    delete from review_items i where i.run_id = new.run_id and i.node_key = new.key;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger node_runs_review after update on node_runs for each row
  when ((new.state = 'MANUAL_REVIEW') <> (old.state = 'MANUAL_REVIEW')) execute function keep_review();
--> statement-breakpoint
insert into review_items (run_id, node_key, project_id, pipeline_id, code, since)
  select n.run_id, n.key, r.project_id, r.pipeline_id, n.error_code, coalesce(n.ended_at, clock_timestamp())
  from node_runs n join runs r on r.id = n.run_id where n.state = 'MANUAL_REVIEW'
  on conflict do nothing;
--> statement-breakpoint
CREATE INDEX "node_runs_unset_retry" ON "node_runs" USING btree ("run_id") WHERE "node_runs"."state" = 'RETRYING' and "node_runs"."due_at" is null;--> statement-breakpoint
ALTER TABLE "node_runs" ADD CONSTRAINT "node_runs_skip_cause" CHECK ("skip_cause" in ('person','branch','upstream','degraded'));
--> statement-breakpoint
-- The transition table of the domain, as db/guards.ts prints it: rules may send a failure to review or to a fallback.
create or replace function allowed_node_pairs() returns text[] language sql immutable parallel safe as $$ select array['AWAITING_APPROVAL>CANCELED','AWAITING_APPROVAL>FAILED','AWAITING_APPROVAL>SKIPPED','AWAITING_APPROVAL>SUCCESS','AWAITING_APPROVAL>TIMEOUT','CANCELED>PENDING','CANCELED>QUEUED','CANCELED>SKIPPED','CANCELED>SUCCESS','FAILED>MANUAL_REVIEW','FAILED>PENDING','FAILED>QUEUED','FAILED>SKIPPED','FAILED>SUCCESS','MANUAL_REVIEW>CANCELED','MANUAL_REVIEW>PENDING','MANUAL_REVIEW>QUEUED','MANUAL_REVIEW>SKIPPED','MANUAL_REVIEW>SUCCESS','PENDING>AWAITING_APPROVAL','PENDING>CANCELED','PENDING>QUEUED','PENDING>RUNNING','PENDING>SKIPPED','QUEUED>CANCELED','QUEUED>MANUAL_REVIEW','QUEUED>RUNNING','QUEUED>SKIPPED','QUEUED>TIMEOUT','RETRYING>CANCELED','RETRYING>MANUAL_REVIEW','RETRYING>QUEUED','RETRYING>SKIPPED','RETRYING>TIMEOUT','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>MANUAL_REVIEW','RUNNING>QUEUED','RUNNING>RETRYING','RUNNING>SKIPPED','RUNNING>SUCCESS','RUNNING>TIMEOUT','SKIPPED>PENDING','SKIPPED>QUEUED','SUCCESS>PENDING','SUCCESS>QUEUED','TIMEOUT>MANUAL_REVIEW','TIMEOUT>PENDING','TIMEOUT>QUEUED','TIMEOUT>SKIPPED','TIMEOUT>SUCCESS']::text[] $$;
--> statement-breakpoint
create or replace function allowed_run_pairs() returns text[] language sql immutable parallel safe as $$ select array['CANCELED>FAILED','CANCELED>PAUSED','CANCELED>PENDING','CANCELED>RUNNING','CANCELED>SUCCESS','FAILED>PAUSED','FAILED>RUNNING','FAILED>SUCCESS','PAUSED>CANCELED','PAUSED>FAILED','PAUSED>PENDING','PAUSED>RUNNING','PAUSED>SUCCESS','PENDING>CANCELED','PENDING>FAILED','PENDING>PAUSED','PENDING>RUNNING','PENDING>SUCCESS','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>PAUSED','RUNNING>SUCCESS','SUCCESS>FAILED','SUCCESS>PAUSED','SUCCESS>RUNNING']::text[] $$;
--> statement-breakpoint
create or replace function guard_node_state() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if not (new.state = any(array['PENDING','QUEUED']::text[])) then
      raise exception 'a node cannot be born %', new.state using errcode = 'AP001';
    end if;
    return new;
  end if;
  if new.state is distinct from old.state and not ((old.state || '>' || new.state) = any(array['AWAITING_APPROVAL>CANCELED','AWAITING_APPROVAL>FAILED','AWAITING_APPROVAL>SKIPPED','AWAITING_APPROVAL>SUCCESS','AWAITING_APPROVAL>TIMEOUT','CANCELED>PENDING','CANCELED>QUEUED','CANCELED>SKIPPED','CANCELED>SUCCESS','FAILED>MANUAL_REVIEW','FAILED>PENDING','FAILED>QUEUED','FAILED>SKIPPED','FAILED>SUCCESS','MANUAL_REVIEW>CANCELED','MANUAL_REVIEW>PENDING','MANUAL_REVIEW>QUEUED','MANUAL_REVIEW>SKIPPED','MANUAL_REVIEW>SUCCESS','PENDING>AWAITING_APPROVAL','PENDING>CANCELED','PENDING>QUEUED','PENDING>RUNNING','PENDING>SKIPPED','QUEUED>CANCELED','QUEUED>MANUAL_REVIEW','QUEUED>RUNNING','QUEUED>SKIPPED','QUEUED>TIMEOUT','RETRYING>CANCELED','RETRYING>MANUAL_REVIEW','RETRYING>QUEUED','RETRYING>SKIPPED','RETRYING>TIMEOUT','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>MANUAL_REVIEW','RUNNING>QUEUED','RUNNING>RETRYING','RUNNING>SKIPPED','RUNNING>SUCCESS','RUNNING>TIMEOUT','SKIPPED>PENDING','SKIPPED>QUEUED','SUCCESS>PENDING','SUCCESS>QUEUED','TIMEOUT>MANUAL_REVIEW','TIMEOUT>PENDING','TIMEOUT>QUEUED','TIMEOUT>SKIPPED','TIMEOUT>SUCCESS']::text[])) then
    raise exception 'transition %>% is not in the table (run %, node %)', old.state, new.state, old.run_id, old.key using errcode = 'AP001';
  end if;
  if new.state is distinct from old.state and old.state = any(array['MANUAL_REVIEW','SUCCESS','FAILED','TIMEOUT','CANCELED','SKIPPED']::text[]) and new.generation <> old.generation + 1 then
    raise exception 'node % of run % left % without a new generation', old.key, old.run_id, old.state using errcode = 'AP001';
  end if;
  if new.token < old.token then
    raise exception 'the token of node % of run % went back', old.key, old.run_id using errcode = 'AP001';
  end if;
  return new;
end $$;
--> statement-breakpoint
create or replace function guard_run_state() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if not (new.state = any(array['PENDING','RUNNING']::text[])) then
      raise exception 'a run cannot be born %', new.state using errcode = 'AP001';
    end if;
    return new;
  end if;
  if new.state is distinct from old.state and not ((old.state || '>' || new.state) = any(array['CANCELED>FAILED','CANCELED>PAUSED','CANCELED>PENDING','CANCELED>RUNNING','CANCELED>SUCCESS','FAILED>PAUSED','FAILED>RUNNING','FAILED>SUCCESS','PAUSED>CANCELED','PAUSED>FAILED','PAUSED>PENDING','PAUSED>RUNNING','PAUSED>SUCCESS','PENDING>CANCELED','PENDING>FAILED','PENDING>PAUSED','PENDING>RUNNING','PENDING>SUCCESS','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>PAUSED','RUNNING>SUCCESS','SUCCESS>FAILED','SUCCESS>PAUSED','SUCCESS>RUNNING']::text[])) then
    raise exception 'run transition %>% is not in the table (run %)', old.state, new.state, old.id using errcode = 'AP001';
  end if;
  return new;
end $$;
