"use client";
import { createContext, type ReactNode, useContext } from "react";
import type { Role } from "@/server/domain/access/roles";
import type { Act } from "../_act/model/acts";
import type { RunView } from "../views";
import type { RunEvents } from "./use-run-events";

interface RunScene {
  run: RunView;
  /** Of whoever looks, in the run's own project. */
  role: Role | null;
  events: RunEvents;
  /** Opens the dialog of an intervention. */
  act: (act: Act) => void;
}

const RunContext = createContext<RunScene | null>(null);

export const RunGround = ({ scene, children }: { scene: RunScene; children: ReactNode }) => (
  <RunContext value={scene}>{children}</RunContext>
);

/** The run of the page, for every part of it. */
export function useRun(): RunScene {
  const scene = useContext(RunContext);
  if (!scene) throw new Error("useRun stands outside <RunGround>: put the part under run-screen.tsx");
  return scene;
}
