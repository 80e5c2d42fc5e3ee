import { frameTypes } from "../wire/index.ts";

/** Frames that a new connection has its own of aren't counted. */
export function isNumbered(type: number | undefined): boolean {
  return !unnumbered.has(type ?? 0);
}

const unnumbered: ReadonlySet<number> = new Set([
  frameTypes.settings,
  frameTypes.ping,
  frameTypes.pong,
  frameTypes.ack,
  frameTypes.resume,
]);
