import { allowHost } from "@/server/engine/hosts/allow-host";
import { Line } from "../../rig/line";
import type { Row } from "../row";
import { attemptsOf } from "../worker";

const PAYMENTS = 6;

interface Shown {
  readonly nodes: readonly {
    readonly key: string;
    readonly maybeRepeated: boolean;
    readonly attempts: readonly { readonly maybeRepeated: boolean }[];
  }[];
}

const payment: Row = {
  id: "R3",
  title: "a payment goes through, its answer is lost, and it is tried again (IDM-3)",
  short: true,
  shortOn: "redis",
  run: async (stage) => {
    const { rig } = stage;
    const line = await new Line(() => rig.receiver.port).open();
    try {
      await allowHost(rig.ctx(), {
        projectId: rig.projectId,
        host: "127.0.0.1",
        port: line.port,
        reason: "the receiver, behind a line that loses",
      });
      const url = `http://127.0.0.1:${line.port}/effect`;
      await rig.client.apply("payment", {
        domain: "CHAOS",
        nodes: [{ key: "a", type: "http", with: { method: "POST", url } }],
      });
      line.lose({ answer: /^HTTP\/1\.1 200/, times: PAYMENTS });
      const ids = await Promise.all(Array.from({ length: PAYMENTS }, () => rig.load.submit("payment")));
      const ends = await Promise.all(ids.map((id) => rig.runEnds(id)));
      stage.expect(
        ends.every((state) => state === "SUCCESS"),
        "each payment ends well",
        ends,
      );
      stage.expect(line.lost === PAYMENTS, "as many answers were lost", line.lost);
      let tries = 0;
      for (const id of ids) {
        const calls = rig.receiver.callsOfNode(id, "a");
        const effects = calls.filter(({ accepted, repeated }) => accepted && !repeated);
        stage.expect(effects.length === 1, "each payment takes effect once", calls);
        stage.expect(new Set(calls.map(({ key }) => key)).size === 1, "under one key, whatever the attempt", calls);
        tries += calls.length;
        if (calls.length < 2) continue;
        const attempts = await attemptsOf(rig, id);
        stage.expect(
          attempts[0]?.outcome === "failed" && attempts.at(-1)?.outcome === "succeeded",
          "the lost answer is a failed attempt",
          attempts,
        );
        const { json } = await rig.client.call<Shown>("GET", `/runs/${id}`);
        const [node] = json.nodes;
        stage.expect(node?.attempts.at(-1)?.maybeRepeated === true, "the run shows that its effect may be repeated (IDM-3)", node);
      }
      stage.expect(tries === PAYMENTS * 2, "each was sent twice", tries);
    } finally {
      await line.close();
    }
  },
};

export const lostAnswerRows: readonly Row[] = [payment];
