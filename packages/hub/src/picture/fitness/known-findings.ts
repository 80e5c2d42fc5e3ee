// Findings of clusters as texts, ready to leave. An examination changes when a verdict does, and people ask far more often:
// only those whose revision is another one than the known are read again. A revision means one content, for as long as the
// database has its history.
import { readFindings } from "./read-findings.ts";
import type { FitnessStore } from "./store.ts";

export interface KnownFindings {
  /** JSON by cluster; those without an examination aren't in it. */
  read(clusters: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

interface Known {
  readonly revision: string;
  readonly json: string;
  readonly sizeBytes: number;
}

export function createKnownFindings(options: {
  readonly store: FitnessStore;
  /** A mark of what the database has been. */
  readonly history: () => string;
  readonly maxBytes?: number;
}): KnownFindings {
  const { store, history, maxBytes = defaultMaxBytes } = options;
  const known = new Map<string, Known>();
  let knownBytes = 0;
  let knownHistory = history();
  return { read };

  async function read(clusters: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const changed: string[] = [];
    if (knownHistory !== history()) for (const cluster of known.keys()) forget(cluster);
    knownHistory = history();
    for (const { cluster, revision } of await store.revisions(clusters)) {
      const text = known.get(cluster);
      if (text?.revision === revision) found.set(cluster, text.json);
      else changed.push(cluster);
    }
    for (let at = 0; at < changed.length; at += readAtOnce) {
      for (const { cluster, revision, status } of await store.statuses(changed.slice(at, at + readAtOnce))) {
        if (status === null) continue;
        const json = JSON.stringify(readFindings(status));
        found.set(cluster, json);
        remember(cluster, { revision, json, sizeBytes: Buffer.byteLength(json) });
      }
    }
    return found;
  }

  /** Lets go of what was read longest ago. */
  function remember(cluster: string, text: Known): void {
    forget(cluster);
    known.set(cluster, text);
    knownBytes += text.sizeBytes;
    for (const oldest of known.keys()) {
      if (knownBytes <= maxBytes) return;
      forget(oldest);
    }
  }

  function forget(cluster: string): void {
    knownBytes -= known.get(cluster)?.sizeBytes ?? 0;
    known.delete(cluster);
  }
}

/** Bounds what the largest of them take in memory at a time. */
const readAtOnce = 100;
const defaultMaxBytes = 64 * 1024 * 1024;
