// Which files count when those of several hubs on one database differ, as they do for a minute while a ConfigMap
// reaches one node after another. The content in force stays for as long as a hub has it in its files. When the files
// of such a hub change, the new ones follow. Any other hub may have older files as well as newer ones: its files count
// when nobody has had the content in force for a minute. So no right comes back because a hub with old files is
// started. Pure.
import type { InForce } from "./owned.ts";

export interface Precedence {
  /** At each look: may this hub put its files in force? */
  judge(question: {
    /** The content of this hub's files. */
    readonly ours: string;
    /** The content of its files before they changed; undefined once that was judged. */
    readonly before: string | undefined;
    readonly inForce: InForce | undefined;
  }): boolean;
  /** The database was away: who has what is in force couldn't say so. */
  forget(): void;
}

export function createPrecedence(): Precedence {
  let seen: InForce | undefined;
  let quietLooks = 0;
  return {
    judge({ ours, before, inForce }) {
      const isQuiet = seen?.digest === inForce?.digest && seen?.confirmedMs === inForce?.confirmedMs;
      // Looks, not time: a hub that stood still hasn't looked meanwhile.
      quietLooks = isQuiet ? quietLooks + 1 : 0;
      seen = inForce;
      if (inForce === undefined || inForce.digest === ours || inForce.digest === before) return true;
      return quietLooks >= patienceLooks;
    },
    forget() {
      seen = undefined;
    },
  };
}

/** A minute, at the pace of a hub's looks. */
const patienceLooks = 20;
