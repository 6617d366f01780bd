"use client";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { useFieldControl } from "./field";
import { controlLook } from "./input";

export interface TextareaProps extends ComponentProps<"textarea"> {
  mono?: boolean;
}

export function Textarea({ mono, className, rows = 4, ...rest }: TextareaProps) {
  const links = useFieldControl(rest);
  return (
    <textarea
      rows={rows}
      spellCheck={!mono}
      {...rest}
      {...links}
      className={cn(controlLook, "block resize-y px-2 py-1.5", mono && "whitespace-pre font-mono", className)}
    />
  );
}
