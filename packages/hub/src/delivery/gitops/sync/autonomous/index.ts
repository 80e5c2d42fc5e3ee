export { type AutonomousOptions, createAutonomousEnds } from "./ends.ts";
export { releaseMirrors } from "./release.ts";
