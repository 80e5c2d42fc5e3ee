export { readEnvironment } from "./environment.ts";
export { readIdentityPattern } from "./identity-pattern.ts";
export { type Invocation, readInvocation, type StoreCommand, type Surroundings } from "./load.ts";
export { hasPassword } from "./password.ts";
export { printConfig, printHelp } from "./print.ts";
export { type HubConfig, hubProgram } from "./settings.ts";
