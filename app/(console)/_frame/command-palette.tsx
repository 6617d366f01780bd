"use client";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { Dialog as Radix } from "radix-ui";
import { useEffect, useState } from "react";
import { Kbd } from "@/app/_ui/kbd";
import { matchesQuery, OptionList } from "@/app/_ui/option-list";
import type { Command, CommandSearch } from "./commands";

interface PaletteProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  commands: readonly Command[];
  search?: CommandSearch;
}

export function CommandPalette({ open, onOpen, commands, search }: PaletteProps) {
  const t = useTranslations("frame.palette");
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Radix.Content
          aria-describedby={undefined}
          className="appear fixed inset-x-2 top-2 z-40 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-lift outline-none sm:top-[12vh]"
        >
          <Radix.Title className="sr-only">{t("open")}</Radix.Title>
          <PaletteBody commands={commands} search={search} onDone={() => onOpen(false)} />
          <p className="border-t px-3 py-2 text-ink-3 text-meta pointer-coarse:hidden">{t("hint")}</p>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function PaletteBody({ commands, search, onDone }: Pick<PaletteProps, "commands" | "search"> & { onDone: () => void }) {
  const t = useTranslations("frame.palette");
  const router = useRouter();
  const [query, setQuery] = useState("");
  const found = useFound(query, search);
  const own = commands.filter((command) => matchesQuery(`${command.label} ${command.group} ${command.also ?? ""}`, query));
  const all = [...found, ...own];

  const choose = (key: string) => {
    const command = all.find((each) => each.key === key);
    if (!command) return;
    onDone();
    if (command.href) router.push(command.href);
    else command.run?.();
  };

  return (
    <OptionList
      filtered
      label={t("open")}
      placeholder={t("placeholder")}
      query={query}
      onQuery={setQuery}
      onChoose={choose}
      options={all.map((command) => ({
        key: command.key,
        text: command.label,
        label: command.label,
        group: command.group,
        icon: command.icon,
        hint: command.hint,
        aside: command.shortcut ? <Kbd keys={command.shortcut} /> : undefined,
      }))}
    />
  );
}

function useFound(query: string, search: CommandSearch | undefined): readonly Command[] {
  const [found, setFound] = useState<{ query: string; commands: readonly Command[] }>({ query: "", commands: [] });
  const wanted = query.trim();

  useEffect(() => {
    if (!search || wanted === "") return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      search(wanted, abort.signal).then(
        (commands) => {
          if (!abort.signal.aborted) setFound({ query: wanted, commands });
        },
        () => undefined,
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted, search]);

  return wanted !== "" && wanted.startsWith(found.query) ? found.commands : [];
}
