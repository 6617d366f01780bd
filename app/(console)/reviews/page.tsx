import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { ReviewsScreen } from "./_parts/reviews-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("reviews");
  return { title: t("title") };
}

export default async function ReviewsPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <ReviewsScreen key={project.id} projectId={project.id} />;
}
