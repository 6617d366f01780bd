CREATE TABLE "dead_letters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"generation" integer NOT NULL,
	"attempt_no" integer NOT NULL,
	"cause" text NOT NULL,
	"why" text NOT NULL,
	"node_state" text,
	"code" text,
	"message" text,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"closed_as" text,
	"closed_by" jsonb,
	"closed_reason" text,
	CONSTRAINT "dead_letters_cause" CHECK ("dead_letters"."cause" in ('lost','died','undecidable')),
	CONSTRAINT "dead_letters_closed_as" CHECK ("dead_letters"."closed_as" in ('released','discarded','moved'))
);
--> statement-breakpoint
CREATE INDEX "dead_letters_node" ON "dead_letters" USING btree ("run_id","node_key");--> statement-breakpoint
CREATE INDEX "dead_letters_open" ON "dead_letters" USING btree ("project_id","at","id") WHERE "dead_letters"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "dead_letters_closed" ON "dead_letters" USING btree ("project_id","at","id") WHERE "dead_letters"."closed_at" is not null;--> statement-breakpoint
-- A letter has no other identity than what it is about: whoever writes it, and however often, gives it the same id. Its shape
-- is that of a UUIDv8.
create function dead_letter_id(run_id uuid, node_key text, generation integer, cause text, attempt_no integer) returns uuid
language sql stable as $$
  select overlay(overlay(left(encode(sha256(convert_to(concat_ws('/', run_id, generation, attempt_no, cause, node_key), 'UTF8')), 'hex'), 32)
    placing '8' from 13) placing 'a' from 17)::uuid
$$;
--> statement-breakpoint
-- A dead letter is written by the event that sends the node to review, and closed by the one that takes it out again: in
-- the same commit, by whichever path the event comes, so that none is forgotten. The conditions stand in the triggers,
-- where they cost an ordinary event next to nothing.
create function keep_dead_letter() returns trigger language plpgsql as $$
declare letter_cause constant text := case new.event when 'workerLost' then 'lost' else 'died' end;
begin
  insert into dead_letters (id, project_id, pipeline_id, run_id, node_key, generation, attempt_no, cause, why, code, message, at)
  select dead_letter_id(new.run_id, new.node_key, new.generation, letter_cause, new.attempt_no),
    r.project_id, r.pipeline_id, new.run_id, new.node_key, new.generation, new.attempt_no, letter_cause, new.cause, new.data ->> 'code', new.data ->> 'message', new.at
  from runs r where r.id = new.run_id
  on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create function close_dead_letter() returns trigger language plpgsql as $$
begin
  update dead_letters set
    closed_at = new.at, closed_by = new.actor, closed_reason = new.data ->> 'reason',
    closed_as = case when new.event in ('retryRequested', 'reopened', 'rerunRequested') then 'released'
      when new.event = 'cancelRequested' then 'discarded' else 'moved' end
  where run_id = new.run_id and node_key = new.node_key and closed_at is null and (cause <> 'undecidable' or new.event = 'cancelRequested');
  return null;
end $$;
--> statement-breakpoint
create trigger run_events_dead_letter after insert on run_events for each row
  when (new.to_state = 'MANUAL_REVIEW' and new.event in ('workerLost', 'attemptDied')) execute function keep_dead_letter();
--> statement-breakpoint
create trigger run_events_dead_letter_closed after insert on run_events for each row
  when ((new.from_state = 'MANUAL_REVIEW' and new.to_state <> 'MANUAL_REVIEW') or new.event = 'cancelRequested') execute function close_dead_letter();
