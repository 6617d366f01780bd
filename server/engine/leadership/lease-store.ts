import { type Client, connect } from "@/db/client";
import { acquireLeaseIfFree, type LeaseGrant, type LeaseOwner } from "@/db/statements/lease-acquire";
import { endPastLeader } from "@/db/statements/lease-end-holder";
import { renewLeaseIfHeld } from "@/db/statements/lease-renew";
import { LEASE_CHANNEL, resignLeaseIfHeld } from "@/db/statements/lease-resign";
import { LEADER_SESSIONS, type LeaseTiming } from "./lease-timing";

/** The lease as an elector sees it. Every call answers or fails within `answerWithinMs`. */
export interface LeaseStore {
  /** Null while another holds it. */
  acquire(): Promise<LeaseGrant | null>;
  /** Null when the term is over. */
  renew(epoch: number, report: Readonly<Record<string, unknown>>): Promise<{ databaseMs: number } | null>;
  resign(epoch: number): Promise<boolean>;
  /** Calls back when a leader has resigned. */
  onResigned(wake: () => void): Promise<void>;
  close(): Promise<void>;
}

/** A promise that fails when `work` has not ended in time; waiting belongs to the workers, so it is handed in. */
export type Within = <T>(work: Promise<T>, limitMs: number, what: string) => Promise<T>;

interface LeaseStoreOptions {
  readonly url: string;
  readonly owner: LeaseOwner;
  readonly timing: LeaseTiming;
  readonly within: Within;
}

/**
 * The lease over connections of its own, so that no other work can delay a renewal. A call that is not answered in time,
 * as over a line that was cut without a word, throws its connection away: the next call dials anew.
 */
export function openLeaseStore({ url, owner, timing, within }: LeaseStoreOptions): LeaseStore {
  const settings = { lock_timeout: 1_000, statement_timeout: timing.answerWithinMs, idle_in_transaction_session_timeout: 2_000 };
  const open = (): Client => connect({ url, max: 1, kept: true, applicationName: "apollo11-lease", settings, onNotify });
  let wake = () => {};
  function onNotify(channel: string, name: string): void {
    if (channel === LEASE_CHANNEL && name === owner.name) wake();
  }
  let client = open();
  /** Over the lease's own connection, which would otherwise be two; said with each try, since it may be another one by now. */
  const listen = (current: Client) => current.sql.unsafe(`listen ${LEASE_CHANNEL}`);

  async function ask<T>(what: string, call: (current: Client) => Promise<T>): Promise<T> {
    const asked = client;
    try {
      return await within(call(asked), timing.answerWithinMs, what);
    } catch (error) {
      if (client === asked) {
        client = open();
        hangUp(asked);
      }
      throw error;
    }
  }

  /** A try that fails may have waited for what a frozen leader holds: the next one finds that ended. */
  const makeWay = () => ask("ending a past leader's sessions", (current) => endPastLeader(current.db, owner.name, LEADER_SESSIONS));

  return {
    acquire: async () => {
      try {
        return await ask("taking the lease", async (current) => {
          await listen(current);
          return acquireLeaseIfFree(current.db, owner, timing.ttlMs);
        });
      } catch (error) {
        await makeWay().catch(() => undefined);
        throw error;
      }
    },
    renew: (epoch, report) => ask("renewing the lease", (current) => renewLeaseIfHeld(current.db, owner, epoch, timing.ttlMs, report)),
    resign: (epoch) => ask("resigning the lease", (current) => resignLeaseIfHeld(current.db, owner, epoch)),
    onResigned: async (woken) => {
      wake = woken;
      await ask("listening for a resignation", listen);
    },
    close: () => client.sql.end({ timeout: 0 }),
  };
}

function hangUp(client: Client): void {
  client.sql.end({ timeout: 0 }).catch(() => {
    // It was given up because it does not answer; that it does not answer its closing either changes nothing.
  });
}
