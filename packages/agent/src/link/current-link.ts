import type { Link } from "@fairlead/protocol";

/** A link that its hub has welcomed, and what that hub can do. */
export interface WelcomedLink {
  readonly link: Link;
  readonly capabilities: readonly string[];
}

export interface CurrentLink {
  /** The link that new calls go over. */
  readonly current: WelcomedLink | undefined;
  set(current: WelcomedLink | undefined): void;
  /** Calls back whenever `current` changed; returns the way to stop that. */
  onChange(listener: () => void): () => void;
}

export function createCurrentLink(): CurrentLink {
  const listeners = new Set<() => void>();
  let current: WelcomedLink | undefined;
  return {
    get current() {
      return current;
    },
    set(next) {
      if (next === current) return;
      current = next;
      for (const listener of [...listeners]) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
