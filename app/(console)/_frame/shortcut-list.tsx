"use client";
import { useTranslations } from "next-intl";
import { Dialog } from "@/app/_ui/dialog";
import { Kbd } from "@/app/_ui/kbd";
import { useAllShortcuts } from "@/app/_ui/shortcuts";

export function ShortcutList({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  const t = useTranslations("frame.shortcuts");
  const tables = {
    label: t("tables"),
    rows: [
      ["j", "next"],
      ["k", "previous"],
      ["Enter", "open"],
      ["x", "select"],
    ] as const,
  };
  const all = useAllShortcuts();
  const groups = [...new Set(all.map((shortcut) => shortcut.group))];
  return (
    <Dialog open={open} onOpen={onOpen} title={t("title")} width="lg">
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {groups.map((group) => (
          <Group key={group} title={group}>
            {all
              .filter((shortcut) => shortcut.group === group)
              .map((shortcut) => (
                <Row key={shortcut.keys} keys={shortcut.keys} label={shortcut.label} />
              ))}
          </Group>
        ))}
        <Group title={tables.label}>
          {tables.rows.map(([keys, word]) => (
            <Row key={keys} keys={keys} label={t(word)} />
          ))}
        </Group>
      </div>
    </Dialog>
  );
}

const Group = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section>
    <h3 className="mb-1 font-medium text-ink-3 text-meta">{title}</h3>
    <dl>{children}</dl>
  </section>
);

const Row = ({ keys, label }: { keys: string; label: string }) => (
  <div className="flex h-8 items-center justify-between gap-4 border-b text-table">
    <dt>{label}</dt>
    <dd>
      <Kbd keys={keys} />
    </dd>
  </div>
);
