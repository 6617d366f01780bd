"use client";
import { createContext, useContext } from "react";
import type { Problem } from "../model/problems";
import type { FieldPath } from "../model/set-in";

/** The thing that a form edits: one node, or the pipeline itself. */
export interface FieldScope {
  /** Tells two things' fields apart, so that what is typed into one never shows in another. */
  readonly id: string;
  readonly get: (path: FieldPath) => unknown;
  readonly set: (path: FieldPath, value: unknown) => void;
  /** The field has been left: the next change of it is a step of its own. */
  readonly seal: () => void;
  readonly problems: readonly Problem[];
  readonly readOnly: boolean;
}

export const FieldScopeContext = createContext<FieldScope | null>(null);

export function useFieldScope(): FieldScope {
  const scope = useContext(FieldScopeContext);
  if (scope === null) throw new Error("a form field stands outside <FieldScopeContext>: render it inside a form of the panel");
  return scope;
}

/** `["with", "headers", 0]` as problems write it: `with.headers[0]`. */
export function fieldName(path: FieldPath): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
