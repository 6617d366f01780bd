"use client";
import { useTranslations } from "next-intl";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { PageHeader } from "@/app/_ui/page-header";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { HostsTab } from "./hosts-tab";
import { MembersTab } from "./members-tab";
import { PasswordTab } from "./password-tab";
import { ProjectsTab } from "./projects-tab";
import { RetentionTab } from "./retention-tab";
import { SecretsTab } from "./secrets-tab";
import { TokensTab } from "./tokens-tab";
import { WebhooksTab } from "./webhooks-tab";

interface SettingsScreenProps {
  projectId: string;
  title: string;
  role: Role;
  ownId: string | null;
  isAdministrator: boolean;
}

const TABS = ["members", "tokens", "secrets", "hosts", "webhooks", "projects", "retention", "password"] as const;

/** Who may do what here, and what the project may reach. */
export function SettingsScreen({ projectId, title, role, ownId, isAdministrator }: SettingsScreenProps) {
  const t = useTranslations("settings");
  const tab = useTab(TABS);
  const may = roleAllows(role, "member.manage");
  const props = { projectId, may };
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead", { project: title })}
        tabs={
          <PageTabs
            label={t("tabs.label")}
            value={tab}
            tabs={TABS.filter((value) => isAdministrator || (value !== "projects" && value !== "retention")).map((value) => ({
              value,
              label: t(`tabs.${value}`),
            }))}
          />
        }
      />
      {tab === "members" ? <MembersTab {...props} ownId={ownId} /> : null}
      {tab === "tokens" ? may ? <TokensTab {...props} /> : <NoPermissionState need="admin" have={role} /> : null}
      {tab === "secrets" ? <SecretsTab {...props} /> : null}
      {tab === "hosts" ? <HostsTab {...props} /> : null}
      {tab === "webhooks" ? <WebhooksTab {...props} /> : null}
      {tab === "retention" && isAdministrator ? <RetentionTab /> : null}
      {tab === "projects" && isAdministrator ? <ProjectsTab projectId={projectId} /> : null}
      {tab === "password" ? <PasswordTab /> : null}
    </>
  );
}
