import { migrateDatabase } from "@/server/migrations";

try {
  await migrateDatabase();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
