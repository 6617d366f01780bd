"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./class-names";

export interface ErrorStateProps {
  title?: ReactNode;
  /** What is wrong and what to do, as the server says it. */
  detail: ReactNode;
  /** Path into the input, an id, an address. */
  where?: string;
  onRetry?: () => void;
  actions?: ReactNode;
  className?: string;
}

export function ErrorState({ title, detail, where, onRetry, actions, className }: ErrorStateProps) {
  const t = useTranslations("ui");
  return (
    <div role="alert" className={cn("flex flex-col items-start gap-3 border-state-failed border-l-2 py-3 pr-4 pl-4", className)}>
      <div className="max-w-prose">
        <p className="font-semibold text-body">{title ?? t("failed.title")}</p>
        <div className="mt-0.5 break-words text-ink-2 text-table">{detail}</div>
        {where ? <p className="mt-1 break-all font-mono text-ink-3 text-meta">{t("failed.where", { where })}</p> : null}
      </div>
      {onRetry || actions ? (
        <div className="flex flex-wrap gap-2">
          {onRetry ? <Button onClick={onRetry}>{t("retry")}</Button> : null}
          {actions}
        </div>
      ) : null}
    </div>
  );
}
