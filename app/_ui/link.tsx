import NextLink from "next/link";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** A link in text or in a table: ink with a quiet underline, since colour is kept for state. */
export function Link({ className, ...rest }: ComponentProps<typeof NextLink>) {
  return (
    <NextLink
      className={cn("rounded-sm text-ink underline decoration-line-strong underline-offset-3 hover:decoration-ink", className)}
      {...rest}
    />
  );
}
