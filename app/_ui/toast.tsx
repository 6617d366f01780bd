"use client";
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Toaster, toast } from "sonner";
import { TONES, type Tone } from "./badge";
import { cn } from "./class-names";

const ICONS = { neutral: Info, info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const;

export interface Notice {
  title: ReactNode;
  detail?: ReactNode;
  tone?: Tone;
  /** Where the deed left its mark: the audit row, the run. */
  link?: { href: string; label: ReactNode };
}

/** Says what has been done. What failed stays until it is closed. */
export function notify(notice: Notice) {
  toast.custom((id) => <ToastCard notice={notice} onClose={() => toast.dismiss(id)} />, {
    duration: notice.tone === "bad" ? Number.POSITIVE_INFINITY : 6000,
  });
}

function ToastCard({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const t = useTranslations("ui");
  const tone = notice.tone ?? "good";
  const Icon = ICONS[tone];
  return (
    <div className="flex w-full items-start gap-2.5 rounded-md border border-line-strong bg-raised py-2.5 pr-2 pl-3 text-table shadow-lift sm:w-96">
      <Icon size={15} aria-hidden="true" className={cn("mt-0.5 shrink-0", TONES[tone])} />
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium">{notice.title}</p>
        {notice.detail ? <p className="break-words text-ink-2">{notice.detail}</p> : null}
        {notice.link ? (
          <Link href={notice.link.href} onClick={onClose} className="mt-1 inline-block underline decoration-line-strong underline-offset-3">
            {notice.link.label}
          </Link>
        ) : null}
      </div>
      <button type="button" aria-label={t("close")} onClick={onClose} className="rounded-sm p-1 text-ink-3 hover:bg-hover hover:text-ink">
        <X size={13} aria-hidden="true" />
      </button>
    </div>
  );
}

/** Stands once, at the root. */
export function Toasts() {
  const t = useTranslations("ui");
  return (
    <Toaster
      position="bottom-right"
      gap={8}
      style={{ fontFamily: "inherit" }}
      offset={16}
      containerAriaLabel={t("notifications")}
      mobileOffset={{ bottom: 68, left: 8, right: 8 }}
    />
  );
}
