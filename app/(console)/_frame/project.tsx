"use client";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { Role } from "@/server/domain/access/roles";
import type { FrameProject } from "./frame-data";

interface Whereabouts {
  project: FrameProject | null;
  projects: readonly FrameProject[];
}

const ProjectContext = createContext<Whereabouts>({ project: null, projects: [] });

export function ProjectGround({ project, projects, children }: Whereabouts & { children: ReactNode }) {
  const value = useMemo(() => ({ project, projects }), [project, projects]);
  return <ProjectContext value={value}>{children}</ProjectContext>;
}

/** The project that the switcher shows, with the role of whoever looks; null before they are in one. */
export const useProject = (): FrameProject | null => useContext(ProjectContext).project;

/** The role in any project: what is opened by its id may belong to another than the switcher shows. */
export const useRoleIn = (projectId: string): Role | null =>
  useContext(ProjectContext).projects.find((project) => project.id === projectId)?.role ?? null;
