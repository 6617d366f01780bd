import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { Spinner } from "./spinner";

export const buttonLook = cva(
  "inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium text-table transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45 [&_svg]:shrink-0",
  {
    variants: {
      look: {
        primary: "border-ink bg-ink text-panel hover:not-disabled:border-ink-2 hover:not-disabled:bg-ink-2",
        plain: "border-line-strong bg-raised text-ink hover:not-disabled:border-edge hover:not-disabled:bg-hover",
        quiet: "border-transparent text-ink-2 hover:not-disabled:bg-hover hover:not-disabled:text-ink data-[state=open]:bg-hover",
        danger: "border-line-strong bg-raised text-state-failed hover:not-disabled:border-state-failed",
        destroy: "border-state-failed bg-state-failed text-panel hover:not-disabled:opacity-90",
      },
      size: {
        sm: "h-6 px-2 pointer-coarse:h-8",
        md: "h-7 px-2.5 pointer-coarse:h-10",
        lg: "h-9 px-4 text-body pointer-coarse:h-11",
      },
    },
    defaultVariants: { look: "plain", size: "md" },
  },
);

export type ButtonLook = NonNullable<VariantProps<typeof buttonLook>["look"]>;

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof buttonLook> {
  /** Renders the only child, such as a link, with the looks of a button. */
  asChild?: boolean;
  /** The deed is under way: shows it and takes no second press. */
  busy?: boolean;
}

export function Button({ look, size, asChild, busy, className, children, disabled, type = "button", ...rest }: ButtonProps) {
  const classes = cn(buttonLook({ look, size }), className);
  if (asChild) {
    return (
      <Slot.Root className={classes} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button type={type} className={classes} disabled={disabled || busy} aria-busy={busy || undefined} {...rest}>
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}
