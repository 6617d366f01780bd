"use client";
import type { VariantProps } from "class-variance-authority";
import type { ComponentProps, ReactNode } from "react";
import { buttonLook } from "./button";
import { cn } from "./class-names";
import { Tooltip } from "./tooltip";

const SQUARE = { sm: "w-6 px-0 pointer-coarse:w-8", md: "w-7 px-0 pointer-coarse:w-10", lg: "w-9 px-0 pointer-coarse:w-11" } as const;

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label">, VariantProps<typeof buttonLook> {
  /** Its name for screen readers, shown as a tooltip too. */
  label: string;
  icon: ReactNode;
  shortcut?: string;
  side?: "top" | "right" | "bottom" | "left";
}

export function IconButton({
  label,
  icon,
  shortcut,
  side,
  look = "quiet",
  size = "md",
  className,
  type = "button",
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip label={label} shortcut={shortcut} side={side}>
      <button type={type} aria-label={label} className={cn(buttonLook({ look, size }), SQUARE[size ?? "md"], className)} {...rest}>
        {icon}
      </button>
    </Tooltip>
  );
}
