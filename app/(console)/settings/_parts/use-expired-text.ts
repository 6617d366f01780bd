"use client";
import { useTranslations } from "next-intl";
import type { Outputs } from "../../_query/outputs";

type Expired = Outputs["retention"]["preview"];

/** What a pass would remove, in words. */
export function useExpiredText(): (expired: Expired) => string {
  const t = useTranslations("settings.retention");
  return ({ rows, isMore, months }) => {
    if (months.length > 0)
      return months.map(({ month, heldBy }) => (heldBy === null ? month : t("heldMonth", { month, why: heldBy }))).join(", ");
    if (rows === 0) return t("nothing");
    return isMore ? t("moreRows", { n: rows }) : t("someRows", { n: rows });
  };
}
