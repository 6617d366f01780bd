"use client";
import { useTranslations } from "next-intl";
import { failureOf } from "@/app/_trpc/failure";

/** Why a call failed, in the server's words; where it could not be asked, that. */
export function useFailureText(): (error: unknown) => string {
  const t = useTranslations("frame.broken");
  return (error) => {
    const message = failureOf(error)?.message;
    return message === undefined ? t("server") : message.charAt(0).toUpperCase() + message.slice(1);
  };
}
