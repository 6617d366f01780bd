/** How every program is bundled, the product's as those of tests and measurements: one file each, packages beside it. */
export const BUNDLING = {
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "linked",
  logLevel: "silent",
};
