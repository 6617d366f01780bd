"use client";
import { useTranslations } from "next-intl";
import type { InputIssue } from "@/server/domain/failure";
import { issuePlace } from "./model/issue-place";

/** What a review still lacks, each in words. */
export function MissingList({ issues }: { issues: readonly InputIssue[] }) {
  const t = useTranslations("incidents.review.issue");
  return (
    <ul className="list-disc pl-5 text-state-failed text-table">
      {issues.map(({ path }) => {
        const { key, n } = issuePlace(path);
        return <li key={path}>{t.has(key as "fix") ? t(key as "actions_what", { n }) : path}</li>;
      })}
    </ul>
  );
}
