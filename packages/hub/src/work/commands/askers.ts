// Who asked for a command or decided on it, as it is kept, so that rights can be judged again when they are gone.
import type { AbsentAsker, Access, Principal } from "../../people/access/index.ts";

export interface KeptAsker extends AbsentAsker {
  /** Uids that count as one with the asker where several have to decide. */
  readonly party: readonly string[];
}

/** As JSON. */
export function keepAsker(access: Pick<Access, "partyOf">, principal: Principal): string {
  const { kind, name, uid, tokenId, scope } = principal;
  return JSON.stringify({ kind, name, uid, tokenId, scope, party: access.partyOf(principal) } satisfies KeptAsker);
}

export function readAsker(kept: string): KeptAsker {
  return JSON.parse(kept) as KeptAsker;
}
