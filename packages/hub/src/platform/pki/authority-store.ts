import type { NewAuthority } from "@fairlead/protocol/x509";
import type { Overlapping, Rollover, Single } from "./rollover-state.ts";

/** Where the hub's authorities are kept. Each change happens as a whole or not at all, whenever the hub is killed. */
export interface AuthorityStore {
  /** Undefined when there is none; anything halfway is an error, because making a new one would strand every agent. */
  read(): Promise<Rollover | undefined>;
  /** This one and the others are false, and change nothing, when what they would change isn't there any more. */
  create(current: NewAuthority): Promise<boolean>;
  addNext(state: Single, coming: NewAuthority): Promise<boolean>;
  takeOver(state: Overlapping): Promise<boolean>;
  /** Undefined where nobody else changes anything. Calls `reread` at once and whenever another hub may have. */
  readonly follow?: ((reread: () => Promise<void>) => AsyncDisposable) | undefined;
}
