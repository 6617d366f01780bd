"use client";
import type { ReactNode } from "react";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Dialog } from "@/app/_ui/dialog";

interface ShownOnceProps {
  title: string;
  lead: string;
  /** The word of the button that closes it. */
  kept: string;
  copy: string;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A secret, for the only time: when it closes nobody can show it again. */
export function ShownOnce({ title, lead, kept, copy, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={title}
      lead={lead}
      footer={
        <Button look="primary" onClick={onClose}>
          {kept}
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-md border border-line-strong bg-sunk py-1 pr-1 pl-3">
        <code data-token="" className="min-w-0 flex-1 break-all font-mono text-meta leading-5">
          {secret}
        </code>
        <CopyButton size="md" text={secret} label={copy} />
      </div>
      {children}
    </Dialog>
  );
}
