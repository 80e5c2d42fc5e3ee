export { runReflector } from "./reflector.ts";
export type { ReflectorHandler, ReflectorOptions, ReflectorState } from "./types.ts";
