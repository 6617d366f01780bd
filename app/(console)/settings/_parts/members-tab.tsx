"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { UserPlus, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import { Select } from "@/app/_ui/select";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { ROLES, type Role } from "@/server/domain/access/roles";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { AddMember } from "./add-member";
import { TabTop } from "./tab-top";

type Member = Outputs["members"]["list"][number];

interface MembersTabProps {
  projectId: string;
  may: boolean;
  ownId: string | null;
}

/** Who is in the project and what each may do. */
export function MembersTab({ projectId, may, ownId }: MembersTabProps) {
  const t = useTranslations("settings.members");
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({ projectId }));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const columns = useColumns({ projectId, may, ownId, onRemove: setRemoving });
  return (
    <>
      <TabTop
        action={
          may ? (
            <Button look="primary" onClick={() => setAdding(true)}>
              <UserPlus size={13} aria-hidden="true" />
              {t("add")}
            </Button>
          ) : null
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={members}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("label")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.userId}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
      {adding ? <AddMember projectId={projectId} onClose={() => setAdding(false)} /> : null}
      {removing ? <RemoveMember projectId={projectId} member={removing} onClose={() => setRemoving(null)} /> : null}
    </>
  );
}

function useColumns({
  projectId,
  may,
  ownId,
  onRemove,
}: MembersTabProps & { onRemove: (member: Member) => void }): readonly Column<Member>[] {
  const t = useTranslations("settings.members");
  return [
    {
      key: "name",
      head: t("name"),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{row.name}</span>
          {row.userId === ownId ? <Badge>{t("you")}</Badge> : null}
          {row.isAdministrator ? <Badge title={t("administratorHint")}>{t("administrator")}</Badge> : null}
          {row.disabled ? <Badge>{t("disabled")}</Badge> : null}
        </span>
      ),
    },
    { key: "email", head: t("email"), from: "sm", cell: (row) => <span className="text-ink-2">{row.email}</span> },
    { key: "role", head: t("role"), width: "11rem", cell: (row) => <RoleCell projectId={projectId} member={row} may={may} /> },
    { key: "since", head: t("since"), width: "10rem", from: "md", cell: (row) => <Time relative at={row.since} className="text-ink-2" /> },
    {
      key: "remove",
      head: "",
      name: t("remove"),
      width: "3.5rem",
      align: "end",
      cell: (row) =>
        may ? (
          <IconButton
            size="sm"
            label={t("removeName", { name: row.name })}
            icon={<X size={13} aria-hidden="true" />}
            onClick={() => onRemove(row)}
          />
        ) : null,
    },
  ];
}

function RoleCell({ projectId, member, may }: { projectId: string; member: Member; may: boolean }) {
  const t = useTranslations("settings.members");
  const word = useTranslations("ui.role");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const set = useMutation(
    trpc.members.setRole.mutationOptions({
      onSuccess: (_, { role }) => {
        refresh();
        notify({ title: t("roleSet", { name: member.name, role: word(role) }) });
      },
      onError: (error) => notify({ tone: "bad", title: text(error) }),
    }),
  );
  if (!may) return <>{word(member.role)}</>;
  return (
    <Select<Role>
      size="sm"
      label={t("roleOf", { name: member.name })}
      value={set.isPending ? set.variables.role : member.role}
      disabled={set.isPending}
      options={ROLES.map((value) => ({ value, label: word(value), hint: t(`may.${value}`) }))}
      onValue={(role) => set.mutate({ projectId, userId: member.userId, role })}
    />
  );
}

function RemoveMember({ projectId, member, onClose }: { projectId: string; member: Member; onClose: () => void }) {
  const t = useTranslations("settings.members");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const remove = useMutation(
    trpc.members.remove.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("removed", { name: member.name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("removeName", { name: member.name })}
      verb={t("remove")}
      tone="destroy"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={() => remove.mutate({ projectId, userId: member.userId })}
    >
      {t("removeBody", { email: member.email })}
    </ConfirmDialog>
  );
}
