"use client";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { useFailureText } from "./use-failure-text";

interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}

/** Under a list: the way to what is older, or that there is none. */
export function MoreButton({ of }: { of: Paged }) {
  const t = useTranslations("alerts");
  const text = useFailureText();
  return (
    <>
      {of.hasNextPage ? (
        <Button size="sm" busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
          {t("more")}
        </Button>
      ) : (
        <span>{t("allShown")}</span>
      )}
      {of.isFetchNextPageError ? <span className="text-state-failed">{text(of.error)}</span> : null}
    </>
  );
}
