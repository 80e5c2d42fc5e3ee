export { readEnvironment } from "./environment.ts";
export { type Invocation, readInvocation, type Surroundings } from "./load.ts";
export { printConfig, printHelp } from "./print.ts";
export type { HubConfig } from "./settings.ts";
