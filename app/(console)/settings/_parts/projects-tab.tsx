"use client";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { keepChoice, PROJECT_COOKIE } from "@/app/_ui/choices";
import { Dialog } from "@/app/_ui/dialog";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { CreateProject } from "../../_query/create-project";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { TabTop } from "./tab-top";

type Project = Outputs["projects"]["list"][number];

/** For administrators of the installation: every project, and one more. */
export function ProjectsTab({ projectId }: { projectId: string }) {
  const t = useTranslations("settings.projects");
  const create = useTranslations("settings.project.create");
  const router = useRouter();
  const trpc = useTRPC();
  const projects = useQuery(trpc.projects.list.queryOptions());
  const [making, setMaking] = useState(false);
  const open = (project: Project) => {
    keepChoice(PROJECT_COOKIE, project.key);
    router.refresh();
  };
  const columns: readonly Column<Project>[] = [
    {
      key: "title",
      head: t("title"),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{row.title}</span>
          {row.id === projectId ? <Badge>{t("here")}</Badge> : null}
        </span>
      ),
    },
    { key: "name", head: t("name"), cell: (row) => <code className="font-mono text-ink-2 text-meta">{row.key}</code> },
    {
      key: "open",
      head: "",
      name: t("open"),
      width: "6rem",
      align: "end",
      cell: (row) =>
        row.id === projectId ? null : (
          <Button size="sm" onClick={() => open(row)}>
            {t("open")}
          </Button>
        ),
    },
  ];
  return (
    <>
      <TabTop
        action={
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus size={13} aria-hidden="true" />
            {create("title")}
          </Button>
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={projects}>
        {(rows) => <Table main className="pb-6 md:px-3" label={t("label")} columns={columns} rows={rows} keyOf={(row) => row.id} />}
      </QueryState>
      <Dialog open={making} onOpen={setMaking} title={create("title")}>
        <CreateProject onMade={() => setMaking(false)} />
      </Dialog>
    </>
  );
}
