"use client";
import { Info, Snowflake, TriangleAlert } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import type { FrameBanner } from "./frame-data";

const LOOKS = {
  bad: { icon: TriangleAlert, color: "text-state-failed" },
  warn: { icon: Snowflake, color: "text-state-retrying" },
  info: { icon: Info, color: "text-state-running" },
} as const;

/** What concerns everyone, a line each: a freeze, no leader, a group without workers. */
export function BannerLines({ banners }: { banners: readonly FrameBanner[] }) {
  const t = useTranslations("frame");
  if (banners.length === 0) return null;
  return (
    <section aria-label={t("banners")}>
      {banners.map((banner) => {
        const { icon: Icon, color } = LOOKS[banner.tone];
        return (
          <div
            key={banner.key}
            role="status"
            className={cn("tint flex min-h-8 items-center gap-2.5 border-b px-4 py-1 text-table md:px-6", color)}
          >
            <Icon size={14} aria-hidden="true" className="shrink-0" />
            <span className="min-w-0 flex-1 text-ink">{banner.text}</span>
            {banner.link ? (
              <Link href={banner.link.href} className="shrink-0 text-ink underline underline-offset-3">
                {banner.link.label}
              </Link>
            ) : null}
          </div>
        );
      })}
    </section>
  );
}
