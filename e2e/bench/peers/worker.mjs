// The process that executes steps of a peer: node worker.mjs <peer> <database URL> <slots> <ground>.
const [peerName, url, slots, ground] = process.argv.slice(2);
const { peer } = await import(`./${peerName}.mjs`);

let told = [];
const flush = () => {
  process.send(told);
  told = [];
};
const tell = (kind, run, step) => {
  if (told.push([kind, run, step, performance.timeOrigin + performance.now()]) === 1) setTimeout(flush, 10);
};
const steps = { start: (run, step) => tell("start", run, step), done: (run) => tell("done", run, 0) };

process.once("disconnect", () => process.exit(0));
await peer.work({ url, slots: Number(slots), ground: JSON.parse(ground), steps });
process.send("ready");
