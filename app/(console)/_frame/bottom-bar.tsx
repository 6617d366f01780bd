"use client";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { isAt, PLACES } from "./places";

/** On a phone the rail is a bar under the thumb. */
export function BottomBar() {
  const t = useTranslations("frame.places");
  const pathname = usePathname();
  return (
    <nav
      aria-label={t("label")}
      className="sticky bottom-0 z-30 grid grid-cols-3 border-line-strong border-t bg-ground pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {PLACES.filter((place) => place.phone).map((place) => {
        const here = isAt(place, pathname);
        const Icon = place.icon;
        return (
          <Link
            key={place.key}
            href={place.href}
            aria-current={here ? "page" : undefined}
            className={cn(
              "relative flex h-14 flex-col items-center justify-center gap-0.5 text-ink-3 text-meta outline-offset-[-2px]",
              here && "font-medium text-ink before:absolute before:inset-x-8 before:-top-px before:h-[2px] before:bg-ink",
            )}
          >
            <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
            {t(place.key)}
          </Link>
        );
      })}
    </nav>
  );
}
