import fs, { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { Refusal } from "./refusal.mjs";

// An old Node must get as far as its refusal: nothing that only newer ones export may be imported by name here.

const LEAST_NODE = [20, 11];

export function refuseOldNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  throw new Refusal(
    `This is Node ${version}, and Apollo-11 needs ${LEAST_NODE.join(".")} or newer. Install a current Node (https://nodejs.org) and start again.`,
  );
}

/** One by one: Node's own recursive form never ends where a folder's parent is there and yet takes no folder, as /proc. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

/** Proves by writing, since root passes every permission check and a read-only mount none. */
export function refuseReadOnly(folder, variable) {
  const probe = join(folder, `.write-probe-${process.pid}`);
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    const hint = variable ? `Set ${variable} to a folder that you may write to.` : "Put the project into a folder that you may write to.";
    throw new Refusal(`Cannot write to ${folder} (${error.code ?? error.message}). ${hint}`);
  }
}

export function refuseFullDisk(folder, neededMb, purpose) {
  let place = folder;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = fs.statfsSync(place);
  const freeMb = Math.floor((bavail * bsize) / 1_000_000);
  if (freeMb >= neededMb) return;
  throw new Refusal(`Only ${freeMb} MB are free at ${place}, and ${neededMb} MB are needed ${purpose}. Free some space and start again.`);
}

/** What keeps the address from being listened on, as an error code, or nothing. */
export function portProblem(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) => resolve(error.code ?? "EUNKNOWN"));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

const PORT_WORDS = {
  EADDRINUSE: (port) => `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`,
  EACCES: (port) => `Port ${port} may only be opened by root. Choose one above 1023: PORT=3000 npm start`,
  EADDRNOTAVAIL: (_port, host) => `${host} is no address of this machine. Set HOST to 127.0.0.1, or to 0.0.0.0 for every interface.`,
};

/** `waitMs`: how long a program of the former start may take to let go. */
export async function refusePort(host, port, waitMs = 0) {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const code = await portProblem(host, port);
    if (!code) return;
    if (code === "EADDRINUSE" && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    throw new Refusal(PORT_WORDS[code]?.(port, host) ?? `Cannot listen on ${host}:${port} (${code}). Check HOST and PORT.`);
  }
}
