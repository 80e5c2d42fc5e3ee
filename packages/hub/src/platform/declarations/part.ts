import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import type { Declarations, DeclaredKind, OwnedThing } from "./types.ts";

/** A wing's part in making what is there what the files say. */
export interface DeclaredPart {
  /**
   * Makes what is declared, and takes away what was and isn't any more; writes down which of its kinds are declared. Looks at
   * memory first, and does nothing where that is as it should be.
   */
  reconcile(task: DeclaredTask): Promise<readonly Finding[]>;
  /** All that there is of its kinds, declared or not. */
  list(): readonly { readonly kind: DeclaredKind; readonly name: string }[];
}

export interface DeclaredTask {
  readonly wanted: Declarations;
  readonly owned: readonly OwnedThing[];
  /** To be called in each transaction that writes. Throws when another hub is about it by now. */
  guard(trx: Kysely<Tables>): Promise<void>;
}

/** Something that wasn't as declared. */
export interface Finding {
  readonly kind: DeclaredKind;
  readonly name: string;
  /** `kept`: it should go, and can't. */
  readonly did: "made" | "changed" | "removed" | "withdrawn" | "kept";
  readonly detail: string;
}
