export { z } from "zod";
export { defineTask, type Task, type TaskContext, type TaskDefinition, type TaskLog } from "./define-task";
export { TaskError, type TaskErrorOptions } from "./task-error";
