-- The smallest UUIDv7 of a millisecond: where a month's partition begins.
create function uuid7_floor(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
--> statement-breakpoint
-- The tables that are partitioned by month, each with the months that it lacks from the month before `from_at` to `ahead` months after it.
create function missing_partitions(from_at timestamptz, ahead integer)
returns table (parent text, part text, from_id uuid, to_id uuid, is_now boolean) language sql stable as $$
  select p.name, p.name || '_' || to_char(m.month, 'YYYY_MM'), uuid7_floor(m.month at time zone 'UTC'),
    uuid7_floor((m.month + interval '1 month') at time zone 'UTC'), i.i = 0
  from generate_series(-1, ahead) as i(i)
  cross join lateral (select date_trunc('month', from_at at time zone 'UTC') + make_interval(months => i.i) as month) as m
  cross join unnest(array['runs','node_runs','executions','attempts','run_events','error_events','log_chunks','audit','platform_events']) as p(name)
  where to_regclass(p.name || '_' || to_char(m.month, 'YYYY_MM')) is null
$$;
--> statement-breakpoint
-- Makes them. A table is made apart and then attached, which readers and writers of its parent do not notice; `partition of`
-- would wait for every reader, as for a dump of hours, and hold up all that come after it. What another holds for longer than
-- the lock time-out is left for the next call, unless it is this month's. No default partition: it would forbid a concurrent detach.
create function ensure_partitions(from_at timestamptz, ahead integer) returns integer language plpgsql set lock_timeout = '500ms' as $$
declare
  missing record;
  made integer := 0;
begin
  if not exists (select from missing_partitions(from_at, ahead)) then return 0; end if;
  if not pg_try_advisory_xact_lock(hashtext('apollo11.partitions')) then
    if not exists (select from missing_partitions(from_at, ahead) m where m.is_now) then return 0; end if;
    perform set_config('lock_timeout', '10s', true);
    perform pg_advisory_xact_lock(hashtext('apollo11.partitions'));
    perform set_config('lock_timeout', '500ms', true);
  end if;
  for missing in select * from missing_partitions(from_at, ahead) loop
    begin
      execute format('create table %I (like %I including all)', missing.part, missing.parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', missing.parent, missing.part, missing.from_id, missing.to_id);
      made := made + 1;
    exception when lock_not_available then
      if missing.is_now then raise; end if;
    end;
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
