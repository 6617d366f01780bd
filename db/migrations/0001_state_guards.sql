create or replace function allowed_node_pairs() returns text[] language sql immutable parallel safe as $$ select array['AWAITING_APPROVAL>CANCELED','AWAITING_APPROVAL>FAILED','AWAITING_APPROVAL>SKIPPED','AWAITING_APPROVAL>SUCCESS','AWAITING_APPROVAL>TIMEOUT','CANCELED>PENDING','CANCELED>QUEUED','CANCELED>SKIPPED','CANCELED>SUCCESS','FAILED>MANUAL_REVIEW','FAILED>PENDING','FAILED>QUEUED','FAILED>SKIPPED','FAILED>SUCCESS','MANUAL_REVIEW>CANCELED','MANUAL_REVIEW>PENDING','MANUAL_REVIEW>QUEUED','MANUAL_REVIEW>SKIPPED','MANUAL_REVIEW>SUCCESS','PENDING>AWAITING_APPROVAL','PENDING>CANCELED','PENDING>QUEUED','PENDING>RUNNING','PENDING>SKIPPED','QUEUED>CANCELED','QUEUED>MANUAL_REVIEW','QUEUED>RUNNING','QUEUED>SKIPPED','QUEUED>TIMEOUT','RETRYING>CANCELED','RETRYING>MANUAL_REVIEW','RETRYING>QUEUED','RETRYING>SKIPPED','RETRYING>TIMEOUT','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>MANUAL_REVIEW','RUNNING>QUEUED','RUNNING>RETRYING','RUNNING>SUCCESS','RUNNING>TIMEOUT','SKIPPED>PENDING','SKIPPED>QUEUED','SUCCESS>PENDING','SUCCESS>QUEUED','TIMEOUT>MANUAL_REVIEW','TIMEOUT>PENDING','TIMEOUT>QUEUED','TIMEOUT>SKIPPED','TIMEOUT>SUCCESS']::text[] $$;
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
  if new.state is distinct from old.state and not ((old.state || '>' || new.state) = any(array['AWAITING_APPROVAL>CANCELED','AWAITING_APPROVAL>FAILED','AWAITING_APPROVAL>SKIPPED','AWAITING_APPROVAL>SUCCESS','AWAITING_APPROVAL>TIMEOUT','CANCELED>PENDING','CANCELED>QUEUED','CANCELED>SKIPPED','CANCELED>SUCCESS','FAILED>MANUAL_REVIEW','FAILED>PENDING','FAILED>QUEUED','FAILED>SKIPPED','FAILED>SUCCESS','MANUAL_REVIEW>CANCELED','MANUAL_REVIEW>PENDING','MANUAL_REVIEW>QUEUED','MANUAL_REVIEW>SKIPPED','MANUAL_REVIEW>SUCCESS','PENDING>AWAITING_APPROVAL','PENDING>CANCELED','PENDING>QUEUED','PENDING>RUNNING','PENDING>SKIPPED','QUEUED>CANCELED','QUEUED>MANUAL_REVIEW','QUEUED>RUNNING','QUEUED>SKIPPED','QUEUED>TIMEOUT','RETRYING>CANCELED','RETRYING>MANUAL_REVIEW','RETRYING>QUEUED','RETRYING>SKIPPED','RETRYING>TIMEOUT','RUNNING>CANCELED','RUNNING>FAILED','RUNNING>MANUAL_REVIEW','RUNNING>QUEUED','RUNNING>RETRYING','RUNNING>SUCCESS','RUNNING>TIMEOUT','SKIPPED>PENDING','SKIPPED>QUEUED','SUCCESS>PENDING','SUCCESS>QUEUED','TIMEOUT>MANUAL_REVIEW','TIMEOUT>PENDING','TIMEOUT>QUEUED','TIMEOUT>SKIPPED','TIMEOUT>SUCCESS']::text[])) then
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
--> statement-breakpoint
create trigger node_runs_guard before insert or update of state, token on node_runs for each row execute function guard_node_state();
--> statement-breakpoint
create trigger runs_guard before insert or update of state on runs for each row execute function guard_run_state();
--> statement-breakpoint
-- The register goes forward only; a failed attempt puts it back, a completed one never changes (IDM-2).
create function guard_execution() returns trigger language plpgsql as $$
begin
  if old.state = 'COMPLETED' then
    raise exception 'execution % is completed and never changes', old.execution_id using errcode = 'AP001';
  end if;
  if new.token < old.token then
    raise exception 'the token of execution % went back', old.execution_id using errcode = 'AP001';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger executions_guard before update on executions for each row execute function guard_execution();
