/** A node's lease is its worker's: it ends this long after the last renewal, however long the node takes (IDM-3). */
export const WORKER_LEASE_MS = 10_000;
export const WORKER_RENEW_MS = 3_000;
/** The worker stops by its own clock before the database would: its last renewal may have been on its way for this long. */
export const WORKER_MARGIN_MS = 2_000;
