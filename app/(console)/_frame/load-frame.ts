import "server-only";
import { cookies } from "next/headers";
import { cache } from "react";
import { serverCaller } from "@/app/_trpc/server";
import { PROJECT_COOKIE } from "@/app/_ui/choices";
import type { FrameData, FrameProject } from "./frame-data";

/** Who is signed in, with the projects of that person; asked once a page. */
export const loadMe = cache(async () => (await serverCaller()).session.me());

/** Whom the frame is for and where they stand; null sends to sign-in. */
export const loadFrame = cache(async (): Promise<FrameData | null> => {
  const [me, jar] = await Promise.all([loadMe(), cookies()]);
  if (!me.user) return null;
  const projects = me.projects.map(({ id, key, title, role }): FrameProject => ({ id, name: key, title, role }));
  const kept = jar.get(PROJECT_COOKIE)?.value;
  const project = projects.find(({ name }) => name === kept) ?? projects[0] ?? null;
  return { project, projects, user: { name: me.user.name, email: me.user.email }, role: project?.role ?? null };
});

/** The project that the page is about; null where the person is in none yet. */
export async function currentProject(): Promise<FrameProject | null> {
  return (await loadFrame())?.project ?? null;
}
