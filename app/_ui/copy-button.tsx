"use client";
import { Check, Copy } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button";

export interface CopyButtonProps {
  text: string;
  /** What is copied, where several stand side by side. */
  label?: string;
  size?: "sm" | "md";
  className?: string;
}

export function CopyButton({ text, label, size = "sm", className }: CopyButtonProps) {
  const t = useTranslations("ui");
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true));
  };
  return (
    <IconButton
      size={size}
      className={className}
      label={copied ? t("copied") : (label ?? t("copy"))}
      icon={copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
      onClick={copy}
    />
  );
}
