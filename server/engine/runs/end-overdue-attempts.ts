import type { Recover } from "./recover";

export const endOverdueAttempts: Recover = () => {
  throw new Error("not built yet");
};
