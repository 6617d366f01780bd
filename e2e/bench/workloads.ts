import type { Workload } from "./workload";
import { chain } from "./workloads/chain";
import { fan } from "./workloads/fan";
import { one } from "./workloads/one";
import { pickup } from "./workloads/pickup";
import { step } from "./workloads/step";

/** The rows of the table, in its order. */
export const WORKLOADS: readonly Workload[] = [one, chain, step, fan, pickup];
