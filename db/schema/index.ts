// The one barrel that Drizzle needs; tables import tables by file.
export * from "./access";
export * from "./alerts";
export * from "./breakers";
export * from "./codes";
export * from "./dead-letters";
export * from "./incidents";
export * from "./links";
export * from "./pipelines";
export * from "./platform";
export * from "./playbooks";
export * from "./pools";
export * from "./retention";
export * from "./routing";
export * from "./runs";
export * from "./valves";
export * from "./webhooks";
