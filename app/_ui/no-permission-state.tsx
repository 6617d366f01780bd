"use client";
import { Lock } from "lucide-react";
import { useTranslations } from "next-intl";
import type { Role } from "@/server/domain/access/roles";

export function NoPermissionState({ need, have }: { need: Role; have: Role | null }) {
  const t = useTranslations("ui");
  return (
    <div className="flex gap-3 px-4 py-12 md:px-6">
      <Lock size={16} aria-hidden="true" className="mt-1 shrink-0 text-ink-3" />
      <div className="max-w-prose">
        <p className="font-semibold text-body">{t("noPermission.title")}</p>
        <p className="mt-0.5 text-ink-2 text-table">
          {t("noPermission.body", { need: t(`role.${need}`), have: have ? t(`role.${have}`) : t("noPermission.noRole") })}
        </p>
      </div>
    </div>
  );
}
