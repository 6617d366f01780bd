"use client";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";
import { focusFirstField } from "./first-focus";
import { IconButton } from "./icon-button";

const WIDTH = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl", xl: "max-w-6xl" } as const;

export interface DialogProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  title: ReactNode;
  /** One line under the title. */
  lead?: ReactNode;
  children?: ReactNode;
  /** Buttons; the one that acts stands last. */
  footer?: ReactNode;
  width?: keyof typeof WIDTH;
}

/** In the middle on a desk, from the bottom edge on a phone. */
export function Dialog({ open, onOpen, title, lead, children, footer, width = "md" }: DialogProps) {
  const t = useTranslations("ui");
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 grid items-end justify-items-center overflow-y-auto bg-veil sm:items-start sm:p-6 sm:pt-[12vh]">
          <Radix.Content
            onOpenAutoFocus={focusFirstField}
            {...(lead ? {} : { "aria-describedby": undefined })}
            className={cn(
              "appear flex max-h-[92dvh] w-full flex-col border border-line-strong bg-panel shadow-lift outline-none max-sm:rounded-t-lg sm:max-h-[76vh] sm:rounded-lg",
              WIDTH[width],
            )}
          >
            <header className="flex items-start gap-3 border-b px-4 py-3">
              <div className="min-w-0 flex-1">
                <Radix.Title className="break-words font-semibold text-title">{title}</Radix.Title>
                {lead ? <Radix.Description className="text-ink-2 text-table">{lead}</Radix.Description> : null}
              </div>
              <Radix.Close asChild>
                <IconButton label={t("close")} icon={<X size={15} aria-hidden="true" />} className="-mr-1" />
              </Radix.Close>
            </header>
            {children ? <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4 text-body">{children}</div> : null}
            {footer ? (
              <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-4 py-3 max-sm:[&>button]:flex-1">
                {footer}
              </footer>
            ) : null}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}
