import type { Recover } from "./recover";

export const activateWaitingRuns: Recover = () => {
  throw new Error("not built yet");
};
