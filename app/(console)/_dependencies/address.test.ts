import { expect, it } from "vitest";
import { dependencyHref, nameOfParts } from "./address";

it.each(["api.example.com:8443", "table:orders", "dfs:/lake/orders 50%", "*", "[::1]:80"])(
  "the address of %s leads back to its name",
  (name) => {
    const href = dependencyHref({ kind: "host", name });
    expect(nameOfParts(href.split("/").slice(3))).toBe(name);
    expect(new URL(href, "http://console").pathname).toBe(href);
  },
);
