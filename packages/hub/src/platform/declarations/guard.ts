import type { FairleadError } from "@fairlead/kernel";
import { declarationErrors } from "./errors.ts";
import type { Owned } from "./owned.ts";
import type { DeclaredCluster, DeclaredKind, OwnedThing } from "./types.ts";

/** The port by which rooms ask what is declared, before they change something. */
export interface DeclaredGuard {
  /** Throws DECLARED_READ_ONLY. */
  requireUndeclared(kind: DeclaredKind, name: string): void;
  /** The hub forgets all when it ends: who isn't declared isn't there any more after it. */
  readonly keepsNothing: boolean;
  /** Nothing is kept and somebody is declared to be admin of all clusters: no start needs to show a token. */
  readonly hasAdmin: boolean;
  /** As this hub's files say. Undefined for a cluster that they don't declare. */
  cluster(name: string): DeclaredCluster | undefined;
  /** By what is in force, which other files than this hub's may have said. */
  isDeclared(cluster: string): boolean;
  /** It was declared once, and its agents aren't let in until it is again. */
  isWithdrawn(cluster: string): boolean;
}

export function createDeclaredGuard(options: {
  readonly owned: () => Owned | undefined;
  readonly keepsNothing: boolean;
  readonly hasAdmin: boolean;
  readonly cluster: (name: string) => DeclaredCluster | undefined;
}): DeclaredGuard {
  const { owned, keepsNothing, hasAdmin, cluster } = options;
  const findDeclared = (kind: DeclaredKind, name: string): OwnedThing | undefined => {
    const found = owned()?.find(kind, name);
    return found?.withdrawnMs === undefined ? found : undefined;
  };
  return {
    keepsNothing,
    hasAdmin,
    cluster,
    requireUndeclared(kind, name) {
      const found = findDeclared(kind, name);
      if (found) throw readOnly({ kind, name, file: found.file });
    },
    isDeclared: (name) => findDeclared("Cluster", name) !== undefined,
    isWithdrawn: (name) => owned()?.find("Cluster", name)?.withdrawnMs !== undefined,
  };
}

/** With a word on what to do when changing or removing the document isn't it. */
export function readOnly(options: {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly file: string;
  readonly advice?: string;
}): FairleadError {
  const {
    kind,
    name,
    file,
    advice = "Change or remove it there: the hub reads its declarations again within seconds.",
  } = options;
  return declarationErrors.DECLARED_READ_ONLY({ what: `${kind.toLowerCase()} ${name}`, file, advice });
}
