import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { TrpcGround } from "@/app/_trpc/client";
import { RAIL_COOKIE } from "@/app/_ui/choices";
import { ConsoleFrame } from "./_frame/console-frame";
import { loadFrame } from "./_frame/load-frame";
import { ToSignIn } from "./_frame/to-sign-in";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [frame, jar] = await Promise.all([loadFrame(), cookies()]);
  if (!frame) return <ToSignIn />;
  return (
    <TrpcGround>
      <ConsoleFrame {...frame} railNarrow={jar.get(RAIL_COOKIE)?.value === "narrow"}>
        {children}
      </ConsoleFrame>
    </TrpcGround>
  );
}
