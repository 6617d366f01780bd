CREATE TABLE "valve_holds" (
	"valve_no" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"pool_key" text NOT NULL,
	"rank" timestamp (3) with time zone NOT NULL,
	"held_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "valve_holds_run_id_node_key_pk" PRIMARY KEY("run_id","node_key")
);
--> statement-breakpoint
CREATE TABLE "valves" (
	"no" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "valves_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"project_id" uuid,
	"kind" text NOT NULL,
	"pipeline_id" uuid,
	"target" text NOT NULL,
	"label" text NOT NULL,
	"state" text NOT NULL,
	"reason" text NOT NULL,
	"closed_by" jsonb NOT NULL,
	"closed_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"purged" integer DEFAULT 0 NOT NULL,
	"rate" integer,
	"releasing_since" timestamp (3) with time zone,
	"released_at_rate" integer DEFAULT 0 NOT NULL,
	"released" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"deferring" boolean DEFAULT false NOT NULL,
	"bound" jsonb,
	"revision" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "valves_kind" CHECK ("valves"."kind" in ('node','task','group')),
	CONSTRAINT "valves_state" CHECK ("valves"."state" in ('closing','closed','releasing','ended')),
	CONSTRAINT "valves_rate" CHECK ("valves"."rate" between 1 and 100000),
	CONSTRAINT "valves_ended" CHECK (("valves"."state" = 'ended') = ("valves"."ended_at" is not null)),
	CONSTRAINT "valves_place" CHECK (case "valves"."kind" when 'node' then "valves"."project_id" is not null and "valves"."pipeline_id" is not null when 'task' then "valves"."project_id" is not null else "valves"."project_id" is null end)
);
--> statement-breakpoint
ALTER TABLE "valves" ADD CONSTRAINT "valves_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "valve_holds_order" ON "valve_holds" USING btree ("valve_no","rank");--> statement-breakpoint
CREATE UNIQUE INDEX "valves_once" ON "valves" USING btree ("kind",coalesce("pipeline_id", "project_id"),"target") NULLS NOT DISTINCT WHERE "valves"."ended_at" is null;--> statement-breakpoint
-- The task of one node, as a valve names it: what a handler is registered as, and of any other node its type.
create function valve_task(definition jsonb, node_key text) returns text language sql immutable parallel safe as $$
  select case when n.v ->> 'type' = 'handler' then n.v #>> '{with,task}' else n.v ->> 'type' end
  from jsonb_array_elements(definition #> '{spec,nodes}') as n (v) where n.v ->> 'key' = node_key
$$;
--> statement-breakpoint
-- The lowest open valve that stops a node, past the one that it leaves; null where none does.
create function valve_over(run uuid, node_key text, worker_group text, past integer) returns integer language sql stable as $$
  select v.no from valves v
  where v.ended_at is null and v.no <> coalesce(past, 0) and (
    (v.kind = 'group' and v.target = worker_group)
    or (v.kind = 'node' and v.target = node_key and exists (select from runs r where r.id = run and r.pipeline_id = v.pipeline_id))
    or (v.kind = 'task' and exists (
      select from runs r join pipeline_versions d on d.id = r.version_id
      where r.id = run and r.project_id = v.project_id and valve_task(d.definition, node_key) = v.target))
  )
  order by v.no limit 1
$$;
--> statement-breakpoint
-- Whatever makes a node ready passes here, in its own commit. Closing a valve takes the same lock alone, for a moment: it waits
-- for those who have looked already, and whoever looks later sees it. So nothing of what is stopped becomes ready past it. What
-- is held keeps its place, in a lane of a pool that has no slot: a claim passes the whole lane by, however long it is.
create function stop_at_valve() returns trigger language plpgsql as $$
declare
  valve integer;
begin
  perform pg_advisory_xact_lock_shared(1635085361, 1);
  if not exists (select from valves where ended_at is null) then return null; end if;
  valve := valve_over(new.run_id, new.key, new.worker_group,
    case when tg_op = 'UPDATE' and old.pool_key ^@ 'valve:' then substr(old.pool_key, 7)::integer end);
  if valve is null then return null; end if;
  if new.state = 'RUNNING' then
    raise exception 'node % of run % is stopped by valve %', new.key, new.run_id, valve using errcode = '40001';
  end if;
  insert into valve_holds (valve_no, run_id, node_key, pool_key, rank)
    values (valve, new.run_id, new.key, new.pool_key, coalesce(new.rank, clock_timestamp()))
    on conflict (run_id, node_key) do update set valve_no = excluded.valve_no, pool_key = excluded.pool_key, rank = excluded.rank;
  update node_runs n set pool_key = 'valve:' || valve where n.run_id = new.run_id and n.key = new.key;
  return null;
end $$;
--> statement-breakpoint
create trigger node_runs_valve_born after insert on node_runs for each row
  when (new.state = 'QUEUED' and not new.pool_key ^@ 'valve:') execute function stop_at_valve();
--> statement-breakpoint
create trigger node_runs_valve after update on node_runs for each row
  when ((new.state = 'QUEUED' and not new.pool_key ^@ 'valve:' and (old.state <> 'QUEUED' or (old.held and not new.held) or old.pool_key ^@ 'valve:'))
    or (new.state = 'RUNNING' and old.state = 'PENDING' and new.worker_id is not null)) execute function stop_at_valve();
--> statement-breakpoint
-- What leaves the queue otherwise than by a release, as by a cancellation, is held no more.
create function leave_valve() returns trigger language plpgsql as $$
begin
  delete from valve_holds h where h.run_id = new.run_id and h.node_key = new.key returning h.pool_key into new.pool_key;
  if new.pool_key is null then new.pool_key := ''; end if;
  return new;
end $$;
--> statement-breakpoint
create trigger node_runs_valve_left before update on node_runs for each row
  when (old.pool_key ^@ 'valve:' and new.state <> 'QUEUED') execute function leave_valve();
--> statement-breakpoint
CREATE TABLE "breaker_asks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "breaker_asks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"worker_id" text NOT NULL,
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"code" text NOT NULL,
	"rule" text NOT NULL,
	"version" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- A rule asks for the breaker of the worker that ran what failed; the leader opens it at its next look. Kills for memory are
-- counted by the breaker itself, which asks for three of them in ten minutes (EXC-6).
create function ask_breaker() returns trigger language plpgsql as $$
begin
  insert into breaker_asks (worker_id, project_id, run_id, node_key, code, rule, version, at)
  select a.worker_id, r.project_id, new.run_id, new.node_key, new.data ->> 'code', new.data #>> '{route,rule}',
    (new.data #>> '{route,version}')::integer, new.at
  from runs r
  join attempts a on a.run_id = new.run_id and a.node_key = new.node_key and a.generation = new.generation and a.no = new.attempt_no
  where r.id = new.run_id and a.worker_id is not null;
  return null;
end $$;
--> statement-breakpoint
create trigger run_events_ask_breaker after insert on run_events for each row
  when (new.event in ('attemptFailed', 'attemptDied', 'attemptTimedOut') and new.data #>> '{route,action}' = 'breaker'
    and new.data ->> 'code' !~ '._OOM_.')
  execute function ask_breaker();
--> statement-breakpoint
-- A rule that pauses a run or switches a node to its fallback is news to people, though the node has not failed for good.
create trigger run_events_alert_routes after insert on run_events for each row
  when (new.event in ('attemptFailed', 'attemptDied', 'attemptTimedOut', 'workerLost', 'degraded')
    and new.to_state not in ('FAILED', 'TIMEOUT', 'MANUAL_REVIEW') and new.data #>> '{route,action}' in ('pause', 'degrade', 'breaker'))
  execute function keep_for_alerts();
--> statement-breakpoint
CREATE TABLE "failure_bounds" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"bound" jsonb NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "failure_bounds" ADD CONSTRAINT "failure_bounds_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;
