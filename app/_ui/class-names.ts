import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({
  extend: {
    theme: {
      text: ["meta", "table", "body", "title", "page", "figure"],
      radius: ["sm", "md", "lg", "full"],
      shadow: ["lift"],
    },
  },
});

/** Joins class names; of two that set the same property the later one wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
