import type { Workload } from "./workload";
import { backlog } from "./workloads/backlog";
import { bulk } from "./workloads/bulk";
import { chain } from "./workloads/chain";
import { day } from "./workloads/day";
import { fan } from "./workloads/fan";
import { history } from "./workloads/history";
import { loops } from "./workloads/loops";
import { one } from "./workloads/one";
import { pickup } from "./workloads/pickup";
import { step } from "./workloads/step";
import { timer } from "./workloads/timer";
import { wheel } from "./workloads/wheel";

/** The rows of the table, in its order. */
export const WORKLOADS: readonly Workload[] = [one, bulk, chain, step, fan, pickup, timer, wheel, day, history, backlog, loops];
