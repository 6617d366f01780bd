import { NODE_TYPES, type NodeType } from "@/server/domain/pipeline/definition";

/** What a card of the palette carries while it is dragged. */
export const NODE_DRAG_TYPE = "application/x-apollo-node-type";
/** What a step of the list carries while it is dragged. */
export const STEP_DRAG_TYPE = "application/x-apollo-step";

export const isNodeType = (text: string): text is NodeType => NODE_TYPES.some((type) => type === text);
