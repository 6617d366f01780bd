import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { nameOfParts } from "../../../_dependencies/address";
import { currentProject } from "../../../_frame/load-frame";
import { NoProject } from "../../../_query/no-project";
import { DependencyScreen } from "../../_parts/dependency-screen";

interface DependencyPageProps {
  params: Promise<{ kind: string; name: string[] }>;
}

export async function generateMetadata({ params }: DependencyPageProps): Promise<Metadata> {
  return { title: nameOfParts((await params).name) };
}

export default async function DependencyPage({ params }: DependencyPageProps) {
  const [{ kind, name: parts }, project] = await Promise.all([params, currentProject()]);
  if (kind !== "host" && kind !== "resource") notFound();
  if (!project) return <NoProject />;
  const name = nameOfParts(parts);
  return <DependencyScreen key={`${project.id} ${kind} ${name}`} projectId={project.id} kind={kind} name={name} />;
}
