import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { TrpcGround } from "@/app/_trpc/client";
import { serverCaller } from "@/app/_trpc/server";
import { ConfirmLink } from "./confirm-link";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("links");
  return { title: t("title"), referrer: "no-referrer", robots: { index: false } };
}

/** Looking at the address does nothing and tells nothing: whoever previews it is not signed in, and the deed is the button's POST. */
export default async function LinkPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const me = await (await serverCaller()).session.me();
  if (!me.user) redirect(`/sign-in?next=${encodeURIComponent(`/link/${token}`)}`);
  return (
    <TrpcGround>
      <ConfirmLink token={token} />
    </TrpcGround>
  );
}
