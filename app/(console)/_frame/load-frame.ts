import type { FrameBanner, FrameData } from "./frame-data";

/** Who is signed in, where, and what concerns everyone; null sends to sign-in. */
export async function loadFrame(): Promise<{ data: FrameData; banners: readonly FrameBanner[] } | null> {
  return null;
}
