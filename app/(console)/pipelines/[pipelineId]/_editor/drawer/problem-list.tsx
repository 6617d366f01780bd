"use client";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEditor } from "../editor-context";
import { useProblemText } from "../problem-text";

/** Each problem leads to its field. */
export function ProblemList() {
  const t = useTranslations("editor.drawer");
  const { problems, jumpTo } = useEditor();
  const text = useProblemText();
  if (problems.length === 0) {
    return (
      <p className="flex items-center gap-2 px-4 py-3 text-ink-2 text-table">
        <CircleCheck size={14} aria-hidden="true" className="text-state-success" />
        {t("noProblems")}
      </p>
    );
  }
  return (
    <ul>
      {problems.map((problem) => (
        <li key={`${problem.path} ${problem.code} ${problem.message}`}>
          <button
            type="button"
            onClick={() => jumpTo(problem.nodeKey, problem.field)}
            className="flex min-h-8 w-full items-baseline gap-2 px-4 py-1.5 text-left text-table hover:bg-hover"
          >
            <TriangleAlert size={13} aria-hidden="true" className="shrink-0 self-center text-state-failed" />
            <span className="w-40 shrink-0 truncate font-mono text-ink-2 text-meta max-sm:w-24">{problem.nodeKey ?? t("pipeline")}</span>
            <span className="min-w-0 flex-1 break-words">{text(problem)}</span>
            <span className="max-w-48 shrink-0 truncate font-mono text-ink-3 text-meta max-md:hidden">{problem.field}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
