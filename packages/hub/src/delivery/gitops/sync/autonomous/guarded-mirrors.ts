// The guard against mass deletions where the cluster is the source: a deletion that waits is refused, and the cluster asks
// for it again.
import type { GitopsObject, ReplicaRefusal } from "@fairlead/protocol";
import { GuardedDeletions } from "../guarded-deletions.ts";
import type { EndsOptions } from "../types.ts";
import { sourceNameAnnotation } from "./marks.ts";

export interface MirrorGuard {
  /** Once, before anything is told to the guard. */
  connect(mirrors: GuardedMirrors): void;
  readonly heldCount: number;
  run(work: () => Promise<void>): Promise<void>;
  /** The mirrors are known. */
  loaded(): void;
  /** Why the mirror stays for now. Undefined: it may go. */
  refuse(sourceUid: string): ReplicaRefusal | undefined;
  /** The cluster has the object. */
  back(sourceUid: string): void;
}

export interface GuardedMirrors {
  /** And what else has their names. */
  all(): Iterable<GitopsObject>;
  mirrorOf(sourceUid: string): GitopsObject | undefined;
  sourceOf(object: GitopsObject): string | undefined;
}

export function createMirrorGuard(
  options: Pick<EndsOptions, "fence" | "rules" | "holds" | "clock" | "log">,
): MirrorGuard {
  const { fence, rules, holds, clock, log } = options;
  let mirrors: GuardedMirrors | undefined;
  /** When the mirrors were known. */
  let loadedMs: number | undefined;
  const askedMs = new Map<string, number>();
  const guard = new GuardedDeletions({ cluster: fence.cluster, rules, holds, clock, log });
  guard.connect({
    present,
    source: {
      get state() {
        return loadedMs === undefined ? ("listing" as const) : ("open" as const);
      },
      has: (uid) => mirrors?.mirrorOf(uid) !== undefined && isWanted(uid),
      isSettled: (uid) => mirrors?.mirrorOf(uid) !== undefined,
    },
    letGo: () => undefined,
  });
  return {
    connect(connected) {
      mirrors = connected;
    },
    get heldCount() {
      return guard.heldCount;
    },
    run: (work) => guard.run(work),
    loaded() {
      loadedMs = clock.steadyMs();
    },
    refuse(uid) {
      const mirror = mirrors?.mirrorOf(uid);
      if (mirror === undefined || guard.isLetGo(uid)) {
        askedMs.delete(uid);
        return undefined;
      }
      askedMs.set(uid, clock.steadyMs());
      guard.left(uid, nameOf(mirror));
      return guard.heldCount > 0 ? held : gathering;
    },
    back(uid) {
      askedMs.delete(uid);
      guard.back(uid);
    },
  };

  /** A cluster that wants a deletion asks for it every few seconds. Of what came back as it was, it says nothing. */
  function isWanted(uid: string): boolean {
    return clock.steadyMs() - Math.max(askedMs.get(uid) ?? 0, loadedMs ?? clock.steadyMs()) < forgetMs;
  }

  function present(): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    for (const mirror of mirrors?.all() ?? []) {
      const uid = mirrors?.sourceOf(mirror);
      if (uid !== undefined && !guard.holds(uid)) all.set(nameOf(mirror), uid);
    }
    return all;
  }
}

/** In the cluster. */
function nameOf({ metadata }: GitopsObject): string {
  return metadata.annotations?.[sourceNameAnnotation] ?? metadata.name;
}

const forgetMs = 60_000;
/** Both end before long: what was confirmed goes when the cluster asks the next time. */
const gathering: ReplicaRefusal = {
  reason: "unconfirmed",
  message: "The hub is waiting a moment for other deletions.",
  retryAfterMs: 2_500,
};
const held: ReplicaRefusal = {
  reason: "unconfirmed",
  message: "A mass deletion is waiting for `fairlead gitops confirm`.",
  retryAfterMs: 5_000,
};
