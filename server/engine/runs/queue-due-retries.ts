import type { Recover } from "./recover";

export const queueDueRetries: Recover = () => {
  throw new Error("not built yet");
};
