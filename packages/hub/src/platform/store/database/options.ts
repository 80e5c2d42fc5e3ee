import type { KeeperState } from "./keeper.ts";

export interface DatabaseOptions {
  /** Its address, or the file that holds it. */
  readonly source: { readonly kind: "url"; readonly url: string } | { readonly kind: "file"; readonly path: string };
  readonly caFile?: string | undefined;
  /** The limit of all connections of the hub together. */
  readonly connections: number;
  /** Several hubs use it. Otherwise it is this hub's alone. */
  readonly isShared?: boolean | undefined;
  /** Called when the database goes away and when it is there again. */
  readonly onChange?: ((state: KeeperState) => void) | undefined;
}
