"use client";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";
import { focusFirstField } from "./first-focus";
import { IconButton } from "./icon-button";

const WIDTH = { sm: "sm:w-96", md: "sm:w-[32rem]", lg: "sm:w-[48rem]" } as const;

export interface DrawerProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  title: ReactNode;
  /** At the right end of the title's line. */
  actions?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  width?: keyof typeof WIDTH;
  /** What it holds fills it and scrolls by itself. */
  flush?: boolean;
}

/** From the right edge on a desk; the whole screen on a phone. */
export function Drawer({ open, onOpen, title, actions, children, footer, width = "md", flush }: DrawerProps) {
  const t = useTranslations("ui");
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Radix.Content
          onOpenAutoFocus={focusFirstField}
          aria-describedby={undefined}
          className={cn(
            "fixed inset-y-0 right-0 z-40 flex w-full animate-[slide-in_140ms_ease-out] flex-col border-line-strong bg-panel shadow-lift outline-none sm:border-l",
            WIDTH[width],
          )}
        >
          <header className="flex h-12 shrink-0 items-center gap-2 border-b pr-3 pl-4">
            <Radix.Title className="min-w-0 flex-1 truncate font-semibold text-title">{title}</Radix.Title>
            {actions}
            <Radix.Close asChild>
              <IconButton label={t("close")} icon={<X size={15} aria-hidden="true" />} />
            </Radix.Close>
          </header>
          <div className={cn("min-h-0 flex-1", !flush && "overflow-y-auto px-4 py-4")}>{children}</div>
          {footer ? <footer className="flex justify-end gap-2 border-t px-4 py-3">{footer}</footer> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
