/** A start of the embedded PostgreSQL that cannot succeed until a person changes something; the message says what. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "EmbeddedPostgresError";
  }
}
