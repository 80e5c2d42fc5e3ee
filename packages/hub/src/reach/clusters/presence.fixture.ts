import type { LinkPresence, PresentLink } from "./types.ts";

export function createPresence(list: () => readonly PresentLink[] = () => []): LinkPresence {
  return { list, of: (name) => list().filter(({ cluster }) => cluster === name) };
}
