import type { NodeDefinition } from "@/server/domain/pipeline/definition";

/** What a node calls, in one line for its card; empty while its form is. */
export function nodeSummary(node: NodeDefinition): string {
  switch (node.type) {
    case "http":
      return node.with.url === "" ? "" : `${node.with.method} ${node.with.url.replace(/^https?:\/\//, "")}`;
    case "command":
      return node.with.argv.join(" ");
    case "handler":
      return node.with.task;
    case "wait":
      return "for" in node.with ? node.with.for : node.with.until;
  }
}
