"use client";
import { WrapText } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { cn } from "./class-names";
import { CopyButton } from "./copy-button";
import { IconButton } from "./icon-button";

export interface CodeBlockProps {
  text: string;
  title?: ReactNode;
  numbered?: boolean;
  /** Long lines are wrapped at first. */
  wrapped?: boolean;
  /** In rem-free CSS, such as `20rem`; the block scrolls inside it. */
  maxHeight?: string;
  className?: string;
}

/** Text as it is, in mono: YAML, a stack, an answer. Nothing in it is ever taken for markup. */
export function CodeBlock({ text, title, numbered, wrapped = false, maxHeight = "24rem", className }: CodeBlockProps) {
  const t = useTranslations("ui");
  const [wrap, setWrap] = useState(wrapped);
  return (
    <figure className={cn("min-w-0 overflow-hidden rounded-md border bg-sunk", className)}>
      <figcaption className="flex h-8 items-center gap-1 border-b pr-1 pl-3 text-ink-3 text-meta">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <IconButton
          size="sm"
          label={t("wrap")}
          aria-pressed={wrap}
          icon={<WrapText size={13} aria-hidden="true" />}
          onClick={() => setWrap(!wrap)}
          className="aria-pressed:bg-selected aria-pressed:text-ink"
        />
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} style={{ maxHeight }} className="overflow-auto px-3 py-2 text-meta leading-5 outline-offset-[-2px]">
        <code className={cn(wrap ? "whitespace-pre-wrap break-words" : "whitespace-pre")}>
          {numbered ? <Numbered text={text} /> : text}
        </code>
      </pre>
    </figure>
  );
}

function Numbered({ text }: { text: string }) {
  return text.split("\n").map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of a fixed text is its number
    <span key={index} className="grid grid-cols-[2.5rem_1fr]">
      <span aria-hidden="true" className="select-none pr-3 text-right text-ink-3">
        {index + 1}
      </span>
      <span>{line === "" ? " " : line}</span>
    </span>
  ));
}
