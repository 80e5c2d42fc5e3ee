export { type ConfigFile, lockConfigFile, type Profile, readConfigFile, writeConfigFile } from "./config-file.ts";
export { type Environment, readEnvironment } from "./environment.ts";
export {
  dropSession,
  findProfile,
  loadProfile,
  type NamedProfile,
  type ProfileRef,
  pickProfile,
  profileNameOf,
  replaceCa,
  saveProfile,
  withCa,
  withSession,
} from "./profile.ts";
export type { Program } from "./program.ts";
export type { StoredSession } from "./session.ts";
