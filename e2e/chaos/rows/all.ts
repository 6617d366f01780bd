import { backlogRows } from "./backlog";
import { cancelRows } from "./cancel";
import { clockRows } from "./clock";
import { deliveryRows } from "./deliveries";
import { diskRows } from "./disk";
import { leaderRows } from "./leader";
import { poisonRows } from "./poison";
import { lostAnswerRows } from "./replays/lost-answer";
import type { Row } from "./row";
import { serviceRows } from "./services";
import { webRows } from "./web";
import { workerRows } from "./worker";

const FAMILIES = [leaderRows, workerRows, serviceRows, deliveryRows, cancelRows, clockRows, diskRows, poisonRows, backlogRows, webRows];

const REPLAYS: readonly Row[] = lostAnswerRows;

/** Every row of the fault matrix that the rig plays, in its order, and then the replays. */
export const ROWS: readonly Row[] = [...FAMILIES.flat().sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))), ...REPLAYS];
