import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { RAIL_COOKIE } from "@/app/_ui/choices";
import { ConsoleFrame } from "./_frame/console-frame";
import { loadFrame } from "./_frame/load-frame";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [loaded, jar] = await Promise.all([loadFrame(), cookies()]);
  if (!loaded) redirect("/sign-in");
  return (
    <ConsoleFrame {...loaded.data} banners={loaded.banners} railNarrow={jar.get(RAIL_COOKIE)?.value === "narrow"}>
      {children}
    </ConsoleFrame>
  );
}
