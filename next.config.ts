import { fileURLToPath } from "node:url";
import type { NextConfig } from "next";
import createNextIntlPlugin from "next-intl/plugin";

const root = fileURLToPath(new URL("./", import.meta.url));

const nextConfig: NextConfig = {
  output: "standalone",
  outputFileTracingRoot: root,
  // What the web process never reads: other programs, data and pictures.
  outputFileTracingExcludes: { "*": [".data/**", ".cache/**", "dist/**", "docs/**", "e2e/**", "workers/**", "test-results/**"] },
  turbopack: { root },
  serverExternalPackages: ["bullmq", "ioredis", "pg", "pino", "postgres"],
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // The launcher builds only what changed; writing this cache costs a quarter of a first build.
  experimental: { turbopackFileSystemCacheForBuild: false },
  // `npm run check` is the one that judges types; a build would only do it again.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "X-Content-Type-Options", value: "nosniff" },
        { key: "X-Frame-Options", value: "DENY" },
        { key: "Referrer-Policy", value: "same-origin" },
      ],
    },
  ],
};

export default createNextIntlPlugin("./app/_words/request.ts")(nextConfig);
