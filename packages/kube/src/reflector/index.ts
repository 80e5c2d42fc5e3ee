export { type FollowHandler, followObjects } from "./follow-objects.ts";
export { runReflector } from "./reflector.ts";
export type { ReflectorHandler, ReflectorOptions, ReflectorState } from "./types.ts";
