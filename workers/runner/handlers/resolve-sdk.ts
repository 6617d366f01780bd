import { existsSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";

/** Lets a handler file anywhere on the machine write `import { defineTask } from "apollo-11/sdk"`, and be TypeScript. */
export function resolveSdk(): void {
  const bundled = new URL("./sdk.mjs", import.meta.url);
  const sdk = existsSync(fileURLToPath(bundled)) ? bundled : new URL("../../sdk/index.ts", import.meta.url);
  register(`data:text/javascript,${encodeURIComponent(hooks(sdk.href))}`, import.meta.url);
}

function esbuildPlace(): string {
  try {
    return import.meta.resolve("esbuild");
  } catch {
    return "esbuild";
  }
}

/** Runs in Node's loader thread, so that it is text: it may use nothing of this file. */
const hooks = (sdk: string) => `
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
export async function resolve(specifier, context, next) {
  if (specifier === "apollo-11/sdk") return next(${JSON.stringify(sdk)}, context);
  if (/^\\.{1,2}\\//.test(specifier) && context.parentURL?.endsWith(".ts")) {
    const typed = new URL(specifier + ".ts", context.parentURL);
    if (existsSync(fileURLToPath(typed))) return { url: typed.href, format: "module", shortCircuit: true };
  }
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts") || url === ${JSON.stringify(sdk)}) return next(url, context);
  const { transform } = await import(${JSON.stringify(esbuildPlace())}).catch(() => {
    throw new Error("TypeScript handlers need the package esbuild; install it, or compile " + url + " to .mjs");
  });
  const { code } = await transform(await readFile(fileURLToPath(url), "utf8"), { loader: "ts", format: "esm", target: "node20", sourcemap: "inline", sourcefile: url });
  return { format: "module", source: code, shortCircuit: true };
}
`;
