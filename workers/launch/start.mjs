// `npm start`: from a fresh clone, or a warm one, to a product that a browser can use; nothing but Node is needed.
import { refuseOldNode } from "./preflight.mjs";
import { Refusal } from "./refusal.mjs";

try {
  refuseOldNode();
  const { startProduct } = await import("./product.mjs");
  await startProduct(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Refusal ? `\n${error.message}` : error);
  process.exit(1);
}
