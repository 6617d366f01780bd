import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { safeNext } from "../_parts/post-json";
import { SignInForm } from "./sign-in-form";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("auth.signIn");
  return { title: t("title") };
}

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const { next } = await searchParams;
  return <SignInForm next={safeNext(typeof next === "string" ? next : null)} />;
}
