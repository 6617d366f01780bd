"use client";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { useLive } from "@/app/_trpc/use-live";
import { keepChoice, PROJECT_COOKIE } from "@/app/_ui/choices";
import { Frame } from "./frame";
import type { FrameData, LiveState } from "./frame-data";
import { LiveGround } from "./live";
import { ProjectGround } from "./project";
import { useCounts } from "./use-counts";
import { usePlatformNotices } from "./use-platform-notices";
import { useSearch } from "./use-search";

interface ConsoleFrameProps extends FrameData {
  railNarrow: boolean;
  children: ReactNode;
}

/** The frame with its deeds: what the server cannot hand down as props. */
export function ConsoleFrame({ children, ...props }: ConsoleFrameProps) {
  const router = useRouter();
  const [held, setHeld] = useState(false);
  const connection = useLive(held ? null : (props.project?.id ?? null));
  const live: LiveState = held ? { kind: "paused" } : connection;
  const banners = usePlatformNotices();
  const counts = useCounts(props.project?.id ?? null);
  const search = useSearch(props.project?.id ?? null);
  const signOut = async () => {
    await fetch("/api/auth/sign-out", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).catch(
      () => undefined,
    );
    window.location.assign("/sign-in");
  };
  return (
    <ProjectGround project={props.project} projects={props.projects}>
      <LiveGround live={live}>
        <Frame
          {...props}
          counts={counts}
          live={live}
          banners={banners}
          search={search}
          onLiveToggle={() => setHeld(!held)}
          onProject={(name) => {
            keepChoice(PROJECT_COOKIE, name);
            router.refresh();
          }}
          onSignOut={() => void signOut()}
        >
          {children}
        </Frame>
      </LiveGround>
    </ProjectGround>
  );
}
