"use client";
import { FileInput, FlaskConical, PencilRuler } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { keepChoice, PROJECT_COOKIE } from "@/app/_ui/choices";

interface WaysInProps {
  mayEdit: boolean;
  /** Where there is a demo beside this project. */
  demo: boolean;
}

const CARD =
  "flex min-h-28 flex-1 basis-56 flex-col items-start gap-1 rounded-md border border-line-strong bg-raised p-4 text-left hover:border-edge hover:bg-hover";

function Way({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <>
      <span className="mb-2 text-ink-2">{icon}</span>
      <span className="font-semibold text-body">{title}</span>
      <span className="text-ink-2 text-table">{children}</span>
    </>
  );
}

/** Where nothing is yet: draw, bring what you have, or look at what there could be. */
export function WaysIn({ mayEdit, demo }: WaysInProps) {
  const t = useTranslations("pipelines.empty");
  const router = useRouter();
  const openDemo = () => {
    keepChoice(PROJECT_COOKIE, "demo");
    router.refresh();
  };
  return (
    <div className="px-4 py-8 md:px-6">
      <p className="font-semibold text-title">{t("title")}</p>
      <p className="mt-0.5 max-w-prose text-body text-ink-2">{t(mayEdit ? "body" : "bodyViewer")}</p>
      <div className="mt-5 flex max-w-4xl flex-wrap gap-3">
        {mayEdit ? (
          <>
            <Link href="/pipelines/new" className={CARD}>
              <Way icon={<PencilRuler size={20} strokeWidth={1.5} aria-hidden="true" />} title={t("draw.title")}>
                {t("draw.body")}
              </Way>
            </Link>
            <Link href="/pipelines/import" className={CARD}>
              <Way icon={<FileInput size={20} strokeWidth={1.5} aria-hidden="true" />} title={t("import.title")}>
                {t("import.body")}
              </Way>
            </Link>
          </>
        ) : null}
        {demo ? (
          <button type="button" onClick={openDemo} className={CARD}>
            <Way icon={<FlaskConical size={20} strokeWidth={1.5} aria-hidden="true" />} title={t("demo.title")}>
              {t("demo.body")}
            </Way>
          </button>
        ) : null}
      </div>
    </div>
  );
}
