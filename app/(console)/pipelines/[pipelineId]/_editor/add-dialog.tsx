"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Dialog } from "@/app/_ui/dialog";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { OptionList } from "@/app/_ui/option-list";
import { NODE_TYPES } from "@/server/domain/pipeline/definition";
import { isNodeType } from "./dragging";
import { useEditor } from "./editor-context";

export interface AddPlace {
  readonly after: string | null;
  readonly between: boolean;
  readonly only?: string;
}

/** The node types as a list that the keyboard can choose from. */
export function AddDialog({ place, onClose }: { place: AddPlace | null; onClose: () => void }) {
  const t = useTranslations("editor");
  const { run } = useEditor();
  const [query, setQuery] = useState("");
  const options = NODE_TYPES.map((type) => {
    return {
      key: type,
      label: t(`kind.${type}.name`),
      text: `${type} ${t(`kind.${type}.name`)} ${t(`kind.${type}.does`)}`,
      hint: t(`kind.${type}.does`),
      icon: <NodeTypeIcon type={type} size={14} />,
    };
  });
  const choose = (type: string) => {
    if (place !== null && isNodeType(type)) run({ kind: "add_node", type, ...place });
    setQuery("");
    onClose();
  };
  return (
    <Dialog
      open={place !== null}
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={place?.after ? t("add.after", { key: place.after }) : t("add.first")}
      width="sm"
    >
      <OptionList
        options={options}
        onChoose={choose}
        label={t("add.label")}
        placeholder={t("add.placeholder")}
        query={query}
        onQuery={setQuery}
      />
    </Dialog>
  );
}
