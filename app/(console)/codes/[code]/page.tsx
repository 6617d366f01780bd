import type { Metadata } from "next";
import { currentProject } from "../../_frame/load-frame";
import { NoProject } from "../../_query/no-project";
import { CodeCard } from "../_parts/code-card";

interface CodePageProps {
  params: Promise<{ code: string }>;
}

export async function generateMetadata({ params }: CodePageProps): Promise<Metadata> {
  return { title: (await params).code };
}

export default async function CodePage({ params }: CodePageProps) {
  const [{ code }, project] = await Promise.all([params, currentProject()]);
  if (!project) return <NoProject />;
  return <CodeCard key={`${project.id}/${code}`} projectId={project.id} code={code} />;
}
