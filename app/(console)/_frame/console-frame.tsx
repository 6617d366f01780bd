"use client";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { keepChoice, PROJECT_COOKIE } from "@/app/_ui/choices";
import { Frame } from "./frame";
import type { FrameBanner, FrameData } from "./frame-data";
import { useLive } from "./live-store";

interface ConsoleFrameProps extends FrameData {
  banners: readonly FrameBanner[];
  railNarrow: boolean;
  children: ReactNode;
}

/** The frame with its deeds: what the server cannot hand down as props. */
export function ConsoleFrame(props: ConsoleFrameProps) {
  const router = useRouter();
  const live = useLive();
  const signOut = async () => {
    await fetch("/api/auth/sign-out", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).catch(
      () => undefined,
    );
    window.location.assign("/sign-in");
  };
  return (
    <Frame
      {...props}
      live={live}
      onProject={(name) => {
        keepChoice(PROJECT_COOKIE, name);
        router.refresh();
      }}
      onSignOut={() => void signOut()}
    />
  );
}
