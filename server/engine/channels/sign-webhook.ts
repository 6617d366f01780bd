import { Webhook } from "standardwebhooks";

interface Signed {
  /** The same at every try, so that a receiver knows a repeat. */
  readonly eventId: string;
  readonly at: Date;
  readonly body: string;
}

/** The headers of Standard Webhooks: id, time and body are signed with each secret that counts, so that one can follow another. */
export const signedHeaders = (secrets: readonly string[], { eventId, at, body }: Signed): Readonly<Record<string, string>> => ({
  "webhook-id": eventId,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
  "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(" "),
});
