import type { Recover } from "./recover";

export const recoverLostWorkers: Recover = () => {
  throw new Error("not built yet");
};
