import { z } from "zod";

/** A host and port as the guarded client compares them: lower case, without a dot at the end or brackets. */
export const targetSchema = z.strictObject({
  host: z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => text.replace(/^\[|\]$/g, "").replace(/\.$/, ""))
    .pipe(
      z
        .string()
        .min(1)
        .max(253)
        .regex(/^[a-z0-9._:-]+$/, {
          error: "not a host; write a name such as orders.internal or an address such as 10.0.0.7, without http:// and without a path",
        }),
    ),
  port: z.int().min(1).max(65_535),
});
