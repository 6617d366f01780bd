-- The smallest UUIDv7 of a millisecond: where a month's partition begins.
create function uuid7_floor(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
--> statement-breakpoint
-- Makes the monthly partitions from the month before `from_at` to `ahead` months after it. No default partition: it would forbid a concurrent detach.
create function ensure_partitions(from_at timestamptz, ahead integer) returns integer language plpgsql as $$
declare
  parent text;
  month timestamptz;
  part text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('apollo11.partitions'));
  for i in -1 .. ahead loop
    month := date_trunc('month', from_at at time zone 'UTC') at time zone 'UTC';
    month := ((month at time zone 'UTC') + make_interval(months => i)) at time zone 'UTC';
    foreach parent in array array['runs','node_runs','executions','attempts','run_events','error_events','log_chunks','audit','platform_events'] loop
      part := parent || '_' || to_char(month at time zone 'UTC', 'YYYY_MM');
      if to_regclass(part) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', part, parent,
          uuid7_floor(month), uuid7_floor(((month at time zone 'UTC') + interval '1 month') at time zone 'UTC'));
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;
--> statement-breakpoint
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'AP002';
end $$;
--> statement-breakpoint
create trigger audit_append_only before update or delete on audit for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_no_truncate before truncate on audit for each statement execute function refuse_change();
--> statement-breakpoint
create trigger run_events_append_only before update or delete on run_events for each row execute function refuse_change();
--> statement-breakpoint
create trigger error_events_append_only before update or delete on error_events for each row execute function refuse_change();
--> statement-breakpoint
create trigger pipeline_versions_immutable before update or delete on pipeline_versions for each row execute function refuse_change();
--> statement-breakpoint
select ensure_partitions(clock_timestamp(), 3);
