import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { loadMe } from "../../_frame/load-frame";
import { RunScreen } from "../_run/run-screen";
import { loadRunPage } from "./load-run-page";

interface RunPageProps {
  params: Promise<{ runId: string }>;
}

export async function generateMetadata({ params }: RunPageProps): Promise<Metadata> {
  const [{ runId }, me, t] = await Promise.all([params, loadMe(), getTranslations("runs")]);
  const run = me.user ? await loadRunPage(runId) : null;
  return { title: run ? `${run.pipeline.title} · ${t("title")}` : t("title") };
}

export default async function RunPage({ params }: RunPageProps) {
  const [{ runId }, me] = await Promise.all([params, loadMe()]);
  // The layout sends whoever is not signed in to do so, and back here.
  if (!me.user) return null;
  const run = await loadRunPage(runId);
  if (!run) notFound();
  return <RunScreen key={run.id} first={run} />;
}
