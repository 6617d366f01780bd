import { NODE_STATES } from "../server/domain/run/states";
import {
  allowedNodePairs,
  allowedRunPairs,
  INITIAL_NODE_STATES,
  INITIAL_RUN_STATES,
  leavesForGood,
} from "../server/domain/run/transitions";

const array = (values: readonly string[]) => `array[${values.map((value) => `'${value}'`).join(",")}]::text[]`;

/**
 * SQL that puts the transition table into Postgres, where a trigger refuses anything else. A migration holds what this
 * printed; when the table changes, a new migration holds the new print, and a test proves the two equal.
 */
export function stateGuardSql(): string[] {
  const leaving = NODE_STATES.filter((state) => leavesForGood(state));
  return [
    `create or replace function allowed_node_pairs() returns text[] language sql immutable parallel safe as $$ select ${array(allowedNodePairs())} $$;`,
    `create or replace function allowed_run_pairs() returns text[] language sql immutable parallel safe as $$ select ${array(allowedRunPairs())} $$;`,
    // The arrays stand in the bodies as constants: a call a row would cost more than the whole check.
    `create or replace function guard_node_state() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if not (new.state = any(${array(INITIAL_NODE_STATES)})) then
      raise exception 'a node cannot be born %', new.state using errcode = 'AP001';
    end if;
    return new;
  end if;
  if new.state is distinct from old.state and not ((old.state || '>' || new.state) = any(${array(allowedNodePairs())})) then
    raise exception 'transition %>% is not in the table (run %, node %)', old.state, new.state, old.run_id, old.key using errcode = 'AP001';
  end if;
  if new.state is distinct from old.state and old.state = any(${array(leaving)}) and new.generation <> old.generation + 1 then
    raise exception 'node % of run % left % without a new generation', old.key, old.run_id, old.state using errcode = 'AP001';
  end if;
  if new.token < old.token then
    raise exception 'the token of node % of run % went back', old.key, old.run_id using errcode = 'AP001';
  end if;
  return new;
end $$;`,
    `create or replace function guard_run_state() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if not (new.state = any(${array(INITIAL_RUN_STATES)})) then
      raise exception 'a run cannot be born %', new.state using errcode = 'AP001';
    end if;
    return new;
  end if;
  if new.state is distinct from old.state and not ((old.state || '>' || new.state) = any(${array(allowedRunPairs())})) then
    raise exception 'run transition %>% is not in the table (run %)', old.state, new.state, old.id using errcode = 'AP001';
  end if;
  return new;
end $$;`,
  ];
}

if (process.argv[1]?.endsWith("guards.ts")) process.stdout.write(`${stateGuardSql().join("\n--> statement-breakpoint\n")}\n`);
