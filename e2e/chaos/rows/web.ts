import { until } from "../../fixtures/until";
import { pass } from "../rig/pass";
import type { Row } from "./row";

const restarted: Row = {
  id: "F35",
  title: "the web process is killed inside a mutation, and the client asks again with the same key",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const times = stage.isShort ? 3 : 12;
    for (let n = 0; n < times; n++) {
      // In turn: with the commit done and its answer lost, and at any moment.
      const isExact = n % 2 === 0;
      if (isExact) rig.web.toDatabase.lose({ answer: /C\0\0\0\x0bCOMMIT/, times: 1 });
      const asked = Array.from({ length: 4 }, () => rig.load.submit("diamond"));
      if (isExact) await until("a commit's answer is lost", () => rig.web.toDatabase.lost > 0, 20_000, 2);
      else await pass(stage.random.below(60));
      await rig.web.end("SIGKILL");
      rig.web.toDatabase.lose({ times: 0 });
      const fromMs = performance.now();
      await rig.web.start();
      await Promise.all(asked);
      stage.measure("answered after the start of another web", performance.now() - fromMs, 30_000);
    }
  },
};

export const webRows: readonly Row[] = [restarted];
