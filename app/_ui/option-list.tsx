"use client";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { cn } from "./class-names";

export interface Option {
  key: string;
  label: ReactNode;
  /** What typing is matched against. */
  text: string;
  group?: string;
  icon?: ReactNode;
  hint?: ReactNode;
  /** At the right end: a shortcut, an offset. */
  aside?: ReactNode;
  chosen?: boolean;
}

export interface OptionListProps {
  options: readonly Option[];
  onChoose: (key: string) => void;
  label: string;
  placeholder: string;
  query: string;
  onQuery: (query: string) => void;
  /** The options are already the answer to the query. */
  filtered?: boolean;
  /** More than this many are not drawn; typing finds them. */
  limit?: number;
  listClassName?: string;
}

/** True if every word of the query is in the text. */
export const matchesQuery = (text: string, query: string): boolean => {
  const hay = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
};

/** A field with a list under it: type to narrow, arrows to move, Enter to choose. */
export function OptionList({
  options,
  onChoose,
  label,
  placeholder,
  query,
  onQuery,
  filtered,
  limit = 80,
  listClassName,
}: OptionListProps) {
  const t = useTranslations("ui");
  const id = useId();
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const shown = (filtered ? options : options.filter((option) => matchesQuery(`${option.text} ${option.group ?? ""}`, query))).slice(
    0,
    limit,
  );
  const active = Math.min(at, Math.max(0, shown.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[data-at="${active}"]`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((active + step + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const option = shown[active];
      if (option) onChoose(option.key);
    }
  };

  return (
    <div className="flex min-h-0 flex-col">
      <input
        // biome-ignore lint/a11y/noAutofocus: it opens because someone asked for it, and closing gives the focus back
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setAt(0);
          onQuery(event.target.value);
        }}
        onKeyDown={onKey}
        className="h-10 w-full shrink-0 border-b bg-transparent px-3 text-body outline-none placeholder:text-ink-3"
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={cn("min-h-0 overflow-y-auto p-1", listClassName)}>
        {shown.length === 0 ? <p className="px-2 py-3 text-ink-3 text-table">{t("noMatch", { query })}</p> : null}
        {shown.map((option, index) => (
          <div key={option.key}>
            {option.group && option.group !== shown[index - 1]?.group ? <GroupName name={option.group} /> : null}
            <OptionRow
              option={option}
              id={`${id}-${index}`}
              at={index}
              active={index === active}
              onPoint={() => setAt(index)}
              onChoose={onChoose}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

const GroupName = ({ name }: { name: string }) => (
  <p aria-hidden="true" className="px-2 pt-2 pb-1 text-ink-3 text-meta">
    {name}
  </p>
);

interface OptionRowProps {
  option: Option;
  id: string;
  at: number;
  active: boolean;
  onPoint: () => void;
  onChoose: (key: string) => void;
}

function OptionRow({ option, id, at, active, onPoint, onChoose }: OptionRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field points here with aria-activedescendant
    <div
      id={id}
      role="option"
      data-at={at}
      aria-selected={active}
      onPointerMove={onPoint}
      onClick={() => onChoose(option.key)}
      className={cn(
        "flex min-h-7 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-table pointer-coarse:min-h-11",
        active && "bg-selected",
        option.chosen && "font-medium",
      )}
    >
      {option.icon ? <span className="flex w-4 shrink-0 justify-center text-ink-3">{option.icon}</span> : null}
      <span className="min-w-0 flex-1 truncate">
        {option.label}
        {option.hint ? <span className="ml-2 font-normal text-ink-3 text-meta">{option.hint}</span> : null}
      </span>
      {option.aside ? <span className="shrink-0 text-ink-3 text-meta">{option.aside}</span> : null}
    </div>
  );
}
