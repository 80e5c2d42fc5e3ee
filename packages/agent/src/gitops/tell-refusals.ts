// Logs which objects of this cluster the hub doesn't take, and why.
import type { ReplicaSource } from "@fairlead/protocol";
import type { GitopsLog } from "./types.ts";

/** Returns the way to tell what was refused since the last time, or is refused for another reason. */
export function createRefusalTeller(options: {
  readonly sources: ReadonlyMap<string, Pick<ReplicaSource, "status">>;
  /** Namespace and name of an object of a flow. */
  readonly nameOf: (flow: string, uid: string) => string;
  readonly log: GitopsLog;
}): () => void {
  const { sources, nameOf, log } = options;
  let told = new Map<string, string>();
  return () => {
    const now = new Map<string, string>();
    let lines = 0;
    for (const [flow, source] of sources) {
      for (const { uid, reason, message } of source.status().refused) {
        const [key, why] = [`${flow} ${uid}`, `${reason} ${message}`];
        const isTold = told.get(key) === why;
        if (!isTold && lines >= mostLines) continue;
        now.set(key, why);
        if (isTold) continue;
        lines += 1;
        log.warn(
          { flow, object: nameOf(flow, uid), reason, message },
          "the hub doesn't take an object of this cluster",
        );
      }
    }
    told = now;
  };
}

/** At a time. Others follow the next time. */
const mostLines = 20;
