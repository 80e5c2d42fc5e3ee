// Knows over which link calls to the hub go, from the welcomes that links got.
import type { Link } from "@fairlead/protocol";
import type { InventoryLinks } from "./types.ts";

export interface WelcomedLinks extends InventoryLinks {
  /** The hub has answered this link's hello, and can do this. */
  welcomed(link: Link, capabilities: readonly string[]): void;
}

export function createWelcomedLinks(): WelcomedLinks {
  const open = new Map<Link, readonly string[]>();
  const listeners = new Set<() => void>();
  let current: InventoryLinks["current"];
  return {
    get current() {
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    welcomed(link, capabilities) {
      const isNew = !open.has(link);
      open.set(link, capabilities);
      choose();
      if (!isNew) return;
      void link.closed.then(() => {
        open.delete(link);
        choose();
      });
    },
  };

  /** The newest: an older one drains. */
  function choose(): void {
    const newest = [...open].at(-1);
    if (newest?.[0] === current?.link && newest?.[1] === current?.capabilities) return;
    current = newest && { link: newest[0], capabilities: newest[1] };
    for (const listener of [...listeners]) listener();
  }
}
