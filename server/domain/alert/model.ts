import type { Grade } from "./grade";
import type { AlertPolicy, AlertRule } from "./policy";
import type { PipelineHealth, TaskClass } from "./task-class";

/** What went wrong once: a node that failed for good, or something that should have happened and did not. */
export interface Occurrence {
  /** The event behind it; it is decided on once. */
  readonly ref: string;
  readonly at: Date;
  readonly code: string;
  /** As the register of codes has it; null where the code is not registered. */
  readonly codeGrade: Grade | null;
  readonly message: string;
  /** `silence`: its object is no task, and no number of them makes a batch. */
  readonly kind: "failure" | "silence";
  readonly object: AlertObject;
  readonly taskClass: TaskClass;
  readonly health: PipelineHealth;
  /** Its run waits for a person. */
  readonly suspended: boolean;
}

export interface AlertObject {
  /** Stable: of a node the run and the node's key, of a schedule or a group its own. One alert each (ALT-4). */
  readonly task: string;
  readonly runId: string | null;
  readonly nodeKey: string | null;
  readonly pipelineId: string | null;
  readonly label: string;
  readonly owner: string | null;
}

export type AlertKind = "code" | "batch" | "silence";

/** An alert that is not resolved yet. */
export interface OpenAlert {
  readonly id: string;
  readonly no: number;
  /** One open alert each. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly code: string;
  readonly grade: Grade;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Null while nobody was told. */
  readonly sentAt: Date | null;
  /** All that keeps it from people, in the order in which they are asked; empty once they were told. */
  readonly heldBy: readonly Suppressor[];
  /** Of a batch: when each code in it was seen, so that a cause in it still is one. */
  readonly parts: Readonly<Record<string, Span>>;
  readonly acknowledgedBy: string | null;
  /** Of what it speaks; a silence may be of one pipeline alone. */
  readonly pipelineId: string | null;
}

export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** What consequences may follow from: an alert's code, and while it was seen. */
export interface Cause extends Span {
  readonly code: string;
  /** Number of its alert; null while it has just occurred. */
  readonly no: number | null;
  /** Its alert is not resolved. */
  readonly open: boolean;
  /** The first of the chain that it is part of; its own code where it follows from nothing. */
  readonly root: string;
}

/** The newest alert of a key that resolved by itself a moment ago. */
export interface RecentAlert {
  readonly id: string;
  readonly no: number;
  readonly grade: Grade;
  readonly sentAt: Date;
}

export interface Silence {
  readonly id: string;
  readonly no: number;
  readonly pattern: string;
  /** Null for every pipeline. */
  readonly pipelineId: string | null;
  readonly reason: string;
  readonly author: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** Where alerts of a project go. */
export interface Route {
  readonly channelId: string;
  readonly enabled: boolean;
  /** The mildest that it takes. */
  readonly grade: Grade;
  readonly pattern: string;
}

/** All that the pipeline decides by. Of alerts only those that these occurrences may belong to, however many are open. */
export interface AlertMemory {
  readonly now: Date;
  readonly policy: AlertPolicy;
  readonly silences: readonly Silence[];
  readonly routes: readonly Route[];
  readonly open: readonly OpenAlert[];
  /** By key: what comes again so soon is merged, though it had resolved (ALT-4). */
  readonly recent: ReadonlyMap<string, RecentAlert>;
  readonly causes: readonly Cause[];
  /** Tasks that an open alert already speaks of, with its id. */
  readonly tasks: ReadonlyMap<string, string>;
  /** Tasks that failed within the batch window before these. */
  readonly failed: readonly { readonly task: string; readonly runId: string }[];
  /** The number of the next alert, and ids for new ones. */
  readonly nextNo: number;
  readonly newId: () => string;
}

export const SUPPRESSORS = ["silence", "inhibition", "batch", "task", "acknowledged", "code", "window", "route", "grace"] as const;
/** In the order in which they are asked: a receipt names the first that applies. */
export type SuppressorKind = (typeof SUPPRESSORS)[number];

/** By what an alert was kept from people. */
export interface Suppressor {
  readonly kind: SuppressorKind;
  /** Id of the silence, rule, window or alert that did it. */
  readonly ref: string;
  /** What is to be said of it; the words stand in the message files. */
  readonly data: Readonly<Record<string, string | number>>;
  /** Until when, where that is known. */
  readonly until: Date | null;
}

export interface Graded {
  readonly occurrence: Occurrence;
  readonly rule: AlertRule | null;
  readonly grade: Grade;
  /** It was made P4 by the business window of this. */
  readonly window: Suppressor | null;
}

/** What an alert shows: of the gravest that belongs to it, and among those the first. */
export interface AlertFace {
  readonly ruleId: string | null;
  readonly object: AlertObject;
  readonly message: string;
  readonly at: Date;
  readonly actionRequired: AlertRule["actionRequired"];
}

/** An alert as it is after the decision. */
export interface AlertState extends OpenAlert {
  readonly isNew: boolean;
  /** Null where what it showed before stays. */
  readonly face: AlertFace | null;
}

/** One of each occurrence: which alert it belongs to, and by what it was kept back; by nothing where it was sent. */
export interface Receipt {
  readonly ref: string;
  readonly occurrence: Occurrence;
  readonly alertId: string;
  readonly grade: Grade;
  readonly ruleId: string | null;
  readonly heldBy: readonly Suppressor[];
}

/** One message about an alert to each of the channels. */
export interface Notice {
  readonly alertId: string;
  readonly channelIds: readonly string[];
  /** `opened`, `repeated` after a while, `raised` to a graver grade, `again` since what kept it back ended. */
  readonly cause: "opened" | "repeated" | "raised" | "again";
  /** What kept it back until now; null where nothing did. */
  readonly ended: Suppressor | null;
}

/** What keeps an alert back by now is written into its receipts as well. */
export interface ReceiptChange {
  readonly alertId: string;
  /** Nothing: people are told. */
  readonly heldBy: readonly Suppressor[];
  /** Of them those that did not hold it before. */
  readonly newly: readonly Suppressor[];
}

export interface Decision {
  readonly alerts: readonly AlertState[];
  readonly receipts: readonly Receipt[];
  readonly notices: readonly Notice[];
  readonly changes: readonly ReceiptChange[];
}
