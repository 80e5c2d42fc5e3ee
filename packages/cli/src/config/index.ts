export { type Environment, readEnvironment } from "./environment.ts";
export { findProfile, loadProfile, type Profile, saveProfile } from "./profile.ts";
