export { readEnvironment } from "./environment.ts";
export { configErrors } from "./errors.ts";
export type { HubConfig } from "./hub-config.ts";
export { spanMs } from "./kinds.ts";
export { type Invocation, readInvocation, type StoreCommand, type Surroundings } from "./load.ts";
export { hasPassword } from "./password.ts";
export { printConfig, printHelp } from "./print.ts";
