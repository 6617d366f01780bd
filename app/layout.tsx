import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import { NextIntlClientProvider } from "next-intl";
import { getLocale, getTranslations } from "next-intl/server";
import type { ReactNode } from "react";
import { PRODUCT } from "@/app/_ui/brand";
import { BROWSER_ZONE_COOKIE, isTheme, THEME_COOKIE, ZONE_COOKIE } from "@/app/_ui/choices";
import { Clock } from "@/app/_ui/clock";
import { isZone } from "@/app/_ui/instant";
import { ShortcutGround } from "@/app/_ui/shortcuts";
import { ThemeGround } from "@/app/_ui/theme";
import { Toasts } from "@/app/_ui/toast";
import { TooltipGround } from "@/app/_ui/tooltip";
import "./globals.css";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("frame");
  return { title: { default: PRODUCT, template: `%s · ${PRODUCT}` }, description: t("tagline") };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f6f6f3" },
    { media: "(prefers-color-scheme: dark)", color: "#121311" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [locale, jar] = await Promise.all([getLocale(), cookies()]);
  const zoneIn = (name: string) => {
    const value = jar.get(name)?.value;
    return isZone(value) ? value : null;
  };
  const theme = jar.get(THEME_COOKIE)?.value;
  const first = isTheme(theme) ? theme : "system";
  return (
    <html lang={locale} data-theme={first === "system" ? undefined : first}>
      <body>
        <NextIntlClientProvider>
          <ThemeGround first={first}>
            <Clock chosenZone={zoneIn(ZONE_COOKIE)} browserZone={zoneIn(BROWSER_ZONE_COOKIE)} firstNowMs={Date.now()}>
              <TooltipGround>
                <ShortcutGround>
                  {children}
                  <Toasts />
                </ShortcutGround>
              </TooltipGround>
            </Clock>
          </ThemeGround>
        </NextIntlClientProvider>
      </body>
    </html>
  );
}
