"use client";
import { Search, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { IconButton } from "./icon-button";
import { Input } from "./input";
import { Kbd } from "./kbd";

export interface SearchInputProps {
  value: string;
  onValue: (value: string) => void;
  label: string;
  placeholder?: string;
  className?: string;
  /** The page's own search: `/` puts the cursor into it. */
  main?: boolean;
}

export function SearchInput({ value, onValue, label, placeholder, className, main }: SearchInputProps) {
  const t = useTranslations("ui");
  return (
    <Input
      role="searchbox"
      aria-label={label}
      placeholder={placeholder ?? label}
      value={value}
      autoComplete="off"
      spellCheck={false}
      data-main-search={main ? "" : undefined}
      onChange={(event) => onValue(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && value !== "") {
          event.stopPropagation();
          onValue("");
        }
      }}
      before={<Search size={13} aria-hidden="true" />}
      after={
        value !== "" ? (
          <IconButton size="sm" label={t("clear")} icon={<X size={13} aria-hidden="true" />} onClick={() => onValue("")} />
        ) : main ? (
          <Kbd keys="/" className="pr-1 max-md:hidden" />
        ) : null
      }
      className={className}
    />
  );
}
