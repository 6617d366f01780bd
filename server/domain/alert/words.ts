import type { Suppressor } from "./model";

/** What kept something back, in the words of a message; screens have words of their own. */
export function suppressorText({ kind, data }: Suppressor): string {
  switch (kind) {
    case "silence":
      return `silence #${data.no} by ${data.author}: ${data.reason}`;
    case "inhibition":
      return `follows from ${data.cause}${data.root === data.cause ? "" : `, which follows from ${data.root}`} (rule ${data.rule})`;
    case "batch":
      return `part of the batch failure #${data.no}`;
    case "task":
      return `the same task is in alert #${data.no}`;
    case "acknowledged":
      return `alert #${data.no} was acknowledged by ${data.by}`;
    case "code":
      return `the same code was sent as alert #${data.no} less than 10 minutes ago`;
    case "window":
      return `business window "${data.name}" (${data.from}–${data.to} ${data.zone}) made it P4 instead of ${data.instead}`;
    case "route":
      return `no channel takes ${data.grade} of this code`;
    case "grace":
      return "it waits a moment for its cause";
  }
}

/** Why people are told of it only now. */
export function endedText({ kind, data }: Suppressor): string | null {
  switch (kind) {
    case "silence":
      return `it fires again because silence #${data.no} has ended`;
    case "inhibition":
      return `its cause ${data.cause} is over, and it is still open`;
    case "code":
      return `it has come back since alert #${data.no} was resolved, and is still open`;
    case "grace":
      return null;
    case "batch":
    case "task":
    case "acknowledged":
    case "window":
    case "route":
      return "what kept it back is over, and it is still open";
  }
}
