// The one barrel that Drizzle needs; tables import tables by file.
export * from "./access";
export * from "./pipelines";
export * from "./platform";
export * from "./runs";
export * from "./pools";
