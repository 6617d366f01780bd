import { z } from "zod";

/** Each slot is a row, and a claim counts the free ones. */
export const MAX_SLOTS = 1_000;

export const slotsSchema = z.int().min(1).max(MAX_SLOTS);

/** Of a pool that a definition names and nobody has made: the strictest limit, so that nothing shared is overrun by a typing error. */
export const SLOTS_OF_NEW_POOL = 1;
