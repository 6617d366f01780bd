"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { ErrorState } from "@/app/_ui/error-state";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { SkeletonRows } from "@/app/_ui/skeleton";
import type { Role } from "@/server/domain/access/roles";
import { useProject } from "../_frame/project";
import { useFailureText } from "./use-failure-text";

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

export interface QueryStateProps<T> {
  query: Asked<T>;
  children: (data: T) => ReactNode;
  /** As high as what comes. */
  loading?: ReactNode;
  /** The role that it takes, told to who has less. */
  need?: Role;
}

/** What was asked for; until it is there its place, and where it failed why. What was there before stays. */
export function QueryState<T>({ query, children, loading, need = "viewer" }: QueryStateProps<T>) {
  const t = useTranslations("ui");
  const text = useFailureText();
  const role = useProject()?.role ?? null;
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (!query.error) return <>{loading ?? <SkeletonRows label={t("loading")} />}</>;
  if (failureOf(query.error)?.code === "forbidden") return <NoPermissionState need={need} have={role} />;
  return (
    <div className="px-4 py-6 md:px-6">
      <ErrorState detail={text(query.error)} onRetry={() => void query.refetch()} />
    </div>
  );
}
