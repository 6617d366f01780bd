import type { Recover } from "./recover";

export const ringForgotten: Recover = () => {
  throw new Error("not built yet");
};
