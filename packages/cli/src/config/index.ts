export { useCompileCache } from "./compile-cache.ts";
export { type ConfigFile, type HubContext, lockConfigFile, readConfigFile, writeConfigFile } from "./config-file.ts";
export { type Environment, readEnvironment } from "./environment.ts";
export {
  contextNameOf,
  dropSession,
  findHubContext,
  type HubContextRef,
  loadHubContext,
  type NamedHubContext,
  pickHubContext,
  replaceCa,
  saveHubContext,
  withCa,
  withSession,
} from "./hub-context.ts";
export type { Program } from "./program.ts";
export type { StoredSession } from "./session.ts";
