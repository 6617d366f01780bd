import { deliveryRows } from "./deliveries";
import { leaderRows } from "./leader";
import type { Row } from "./row";
import { serviceRows } from "./services";
import { workerRows } from "./worker";

/** Every row of the fault matrix that the rig plays, in its order. */
export const ROWS: readonly Row[] = [...leaderRows, ...workerRows, ...serviceRows, ...deliveryRows].sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
