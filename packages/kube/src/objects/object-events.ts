import type { KubeObject } from "./kube-object.ts";

/**
 * The events of a kind's objects, told by one call after the other; a promise is waited for. `About` says which kind it
 * is, where there are several.
 */
export interface ObjectEvents<Found = KubeObject, Gone = Found, About extends readonly unknown[] = []> {
  /**
   * A whole list begins: objects that aren't named between this and `onListed` are gone. A list that broke off begins
   * again.
   */
  onListStart(...about: About): void;
  /** May name an object twice in one list: the later one is newer. */
  onObject(...named: [...about: About, object: Found]): void | Promise<void>;
  onListed(...about: About): void | Promise<void>;
  onApplied(...changed: [...about: About, object: Found]): void | Promise<void>;
  onDeleted(...changed: [...about: About, object: Gone]): void | Promise<void>;
}
