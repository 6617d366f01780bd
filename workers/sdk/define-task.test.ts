import { expect, test } from "vitest";
import { z } from "zod";
import { defineTask, isTask, type TaskContext } from "./define-task";
import { isTaskError, TaskError } from "./task-error";

const ctx = { error: (status: string, number: number, message: string) => new TaskError(status, number, message) } as TaskContext;

test("input is checked and its defaults filled before the function sees it, and output after (WRK-5)", async () => {
  const task = defineTask({
    name: "orders.add",
    input: z.strictObject({ rows: z.int(), table: z.string().default("orders") }),
    output: z.strictObject({ said: z.string() }),
    run: (_, input) => ({ said: `${input.rows} into ${input.table}` }),
  });
  expect(isTask(task)).toBe(true);
  expect(await task.execute(ctx, { rows: 2 })).toEqual({ said: "2 into orders" });
  const refused = await task.execute(ctx, { rows: "2", more: 1 }).catch((error: unknown) => error);
  expect(isTaskError(refused)).toBe(true);
  expect(refused).toMatchObject({ status: "INPUT_VALIDATION", number: 422, retryable: false, message: expect.stringContaining("rows") });
  expect(task.inputSchema).toMatchObject({ type: "object", required: ["rows"], properties: { table: { default: "orders" } } });
});

test("a schema that has no JSON form still makes a task (WRK-5)", () => {
  expect(isTask(defineTask({ name: "dates", input: z.date(), output: z.any(), run: () => null }))).toBe(true);
});

test.each(["", "1a", "a b", "x".repeat(129)])("the name %j is refused when the file is loaded (SEC-3)", (name) => {
  expect(() => defineTask({ name, input: z.any(), output: z.any(), run: () => null })).toThrow(/no task name/);
});
