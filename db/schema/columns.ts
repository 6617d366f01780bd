import { customType, timestamp, uuid } from "drizzle-orm/pg-core";

/** Every instant is a timestamptz in milliseconds; a database zone can change nothing (B92). */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
/** A UUIDv7 made by the application; its first 48 bits are the millisecond that partitions go by. */
export const id = (name = "id") => uuid(name);

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
