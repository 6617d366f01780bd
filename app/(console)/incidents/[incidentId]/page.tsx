import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { IncidentScreen } from "../_parts/incident-screen";

interface IncidentPageProps {
  params: Promise<{ incidentId: string }>;
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("incidents");
  return { title: t("title") };
}

export default async function IncidentPage({ params }: IncidentPageProps) {
  const { incidentId } = await params;
  return <IncidentScreen key={incidentId} id={incidentId} />;
}
