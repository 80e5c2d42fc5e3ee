// How a release stands towards a command that begins, or goes on after a run of it died. Pure.
import type { Memory } from "../memory.ts";
import type { ReleaseHead } from "./release-store.ts";

export type Standing =
  /** Nothing is under way. */
  | { readonly type: "free" }
  /** A run of this command has done it. */
  | { readonly type: "done"; readonly head: ReleaseHead }
  /** A run of Fairlead's died over it. */
  | { readonly type: "broken"; readonly head: ReleaseHead }
  /** Somebody is at work on it who isn't Fairlead. */
  | { readonly type: "busy"; readonly head: ReleaseHead };

export function judgeStanding(heads: readonly ReleaseHead[], memory: Memory | undefined): Standing {
  const latest = heads.at(-1);
  if (latest !== undefined && unfinished.has(latest.status)) {
    // Commands for one release run one after another, and the doors of those before are closed: nobody is at work on it.
    return { type: latest.isFairlead ? "broken" : "busy", head: latest };
  }
  if (memory === undefined) return { type: "free" };
  const done = heads.findLast(
    ({ revision, status, isOwn }) => revision >= memory.expected && isOwn && succeeded.has(status),
  );
  return done === undefined ? { type: "free" } : { type: "done", head: done };
}

/** Helm goes on from none of these. */
const unfinished = new Set(["pending-install", "pending-upgrade", "pending-rollback", "uninstalling"]);
/** Another one may have followed already. */
const succeeded = new Set(["deployed", "superseded", "uninstalled"]);
