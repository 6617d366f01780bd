import { Client } from "pg";
import type { Log } from "@/server/engine/context";
import type { LiveFeed } from "@/server/engine/ports";

export interface LiveFeedOptions {
  readonly databaseUrl: string;
  /** Sends one NOTIFY over a pool of the process. */
  readonly notify: (channel: string, payload: string) => Promise<unknown>;
  readonly log: Log;
}

const CHANNEL = "apollo_live";
const EVERY_MS = 100;
/** A payload ends at 8,000 bytes; an id takes 39 with its quotes and comma. */
const IDS_PER_PAYLOAD = 150;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

type Subscriber = { readonly onChange: (projectId: string) => void; readonly onGap: () => void };

/** Tells every web process that something of a project changed: NOTIFY with ids alone, at most each 100 ms. */
export function openLiveFeed(options: LiveFeedOptions): LiveFeed {
  const sender = openSender(options);
  const subscribers = new Set<Subscriber>();
  let ear: { ready: Promise<void>; close(): Promise<void> } | undefined;
  const hear = () => {
    ear ??= openEar(options, {
      onChange: (id) => {
        for (const each of subscribers) each.onChange(id);
      },
      onGap: () => {
        for (const each of subscribers) each.onGap();
      },
    });
    return ear.ready;
  };
  return {
    changed: sender.changed,
    subscribe: async (onChange, onGap = () => undefined) => {
      const subscriber = { onChange, onGap };
      subscribers.add(subscriber);
      await hear();
      return {
        close: () => {
          subscribers.delete(subscriber);
          return Promise.resolve();
        },
      };
    },
    close: async () => {
      subscribers.clear();
      await sender.close();
      await ear?.close();
    },
  };
}

/** The first change goes out at once; those of the next 100 ms go together. */
function openSender(options: LiveFeedOptions) {
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const flush = () => {
    const ids = [...waiting];
    waiting = new Set();
    const parts: string[][] = [];
    for (let at = 0; at < ids.length; at += IDS_PER_PAYLOAD) parts.push(ids.slice(at, at + IDS_PER_PAYLOAD));
    sending = Promise.all(parts.map((part) => options.notify(CHANNEL, JSON.stringify(part)))).then(
      () => undefined,
      (error: unknown) => options.log.debug({ error: String(error) }, "a change could not be announced; screens poll"),
    );
  };
  const later = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (waiting.size === 0) return;
      flush();
      later();
    }, EVERY_MS);
    timer.unref();
  };
  return {
    changed: (projectId: string) => {
      waiting.add(projectId);
      if (timer) return;
      flush();
      later();
    },
    close: async () => {
      clearTimeout(timer);
      if (waiting.size > 0) flush();
      await sending;
    },
  };
}

/** One connection that listens and comes back after every cut, for as long as the process lives. */
function openEar(options: LiveFeedOptions, to: Subscriber) {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let heardBefore = false;
  let closed = false;

  const connect = async (): Promise<void> => {
    const mine = new Client({ connectionString: options.databaseUrl, keepAlive: true, application_name: "apollo-live" });
    client = mine;
    mine.on("notification", (message) => {
      for (const id of idsOf(message.payload)) to.onChange(id);
    });
    mine.on("error", (error) => options.log.debug({ error: error.message }, "the live feed was cut"));
    mine.on("end", () => again(mine));
    try {
      await mine.connect();
      await mine.query(`listen ${CHANNEL}`);
      retryMs = FIRST_RETRY_MS;
      if (heardBefore) to.onGap();
      heardBefore = true;
    } catch (error) {
      options.log.debug({ error: String(error) }, "the live feed could not be opened; it is tried again");
      await mine.end().catch(() => undefined);
      again(mine);
    }
  };
  const again = (lost: Client) => {
    if (closed || client !== lost) return;
    client = undefined;
    timer = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };
  return {
    ready: connect(),
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

function idsOf(payload: string | undefined): string[] {
  try {
    const ids: unknown = JSON.parse(payload ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
