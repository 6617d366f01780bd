import { getTranslations } from "next-intl/server";
import { EmptyState } from "@/app/_ui/empty-state";
import { loadMe } from "../_frame/load-frame";
import { CreateProject } from "./create-project";

/** In place of a page that is about a project, for who is in none; whoever administers the installation can make the first. */
export async function NoProject() {
  const [me, t, first] = await Promise.all([loadMe(), getTranslations("frame.project"), getTranslations("settings.project.first")]);
  if (!me.user?.isAdministrator) return <EmptyState title={t("none")}>{t("missing")}</EmptyState>;
  return (
    <>
      <EmptyState title={first("title")} className="pb-4">
        {first("body")}
      </EmptyState>
      <div className="px-4 pb-8 md:px-6">
        <CreateProject />
      </div>
    </>
  );
}
