import type { Recover } from "./recover";

export const endElapsedWaits: Recover = () => {
  throw new Error("not built yet");
};
