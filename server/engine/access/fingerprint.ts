import { createHash } from "node:crypto";

/** What is kept of a token or a link: enough to know it again, nothing to use. */
export const fingerprint = (secret: string): string => createHash("sha256").update(secret).digest("hex");
