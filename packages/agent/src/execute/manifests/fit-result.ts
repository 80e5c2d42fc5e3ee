import { onlyName } from "./object-name.ts";
import type { Outcome } from "./types.ts";

export interface ResultJson {
  readonly objects: readonly Outcome[];
  /** How many more there are; the log names them all. */
  readonly omitted?: number;
}

/**
 * Cuts a result to the size that the hub keeps whole. Objects' outcomes come first. Messages and changes are left out
 * from where they don't fit any more, and unchanged objects before others.
 */
export function fitResult(outcomes: readonly Outcome[], limitBytes: number = maxBytes): ResultJson {
  let leftBytes = limitBytes;
  const all = outcomes.map(bare);
  const isWhole = all.reduce((sum, outcome) => sum + sizeOf(outcome), 0) <= limitBytes;
  const kept = new Map<Outcome, Outcome>();
  for (const outcome of isWhole ? outcomes : outcomes.filter(({ did }) => did !== "unchanged")) {
    const size = sizeOf(bare(outcome));
    if (size > leftBytes) break;
    leftBytes -= size;
    kept.set(outcome, bare(outcome));
  }
  for (const outcome of kept.keys()) {
    const { changes: _changes, ...said } = outcome;
    for (const fuller of [outcome, said]) {
      const more = sizeOf(fuller) - sizeOf(bare(outcome));
      if (more > leftBytes) continue;
      leftBytes -= more;
      kept.set(outcome, fuller);
      break;
    }
  }
  const omitted = outcomes.length - kept.size;
  return { objects: [...kept.values()], ...(omitted > 0 && { omitted }) };
}

function bare(outcome: Outcome): Outcome {
  const { did, code } = outcome;
  return { ...onlyName(outcome), did, ...(code !== undefined && { code }) };
}

function sizeOf(outcome: Outcome): number {
  return Buffer.byteLength(JSON.stringify(outcome)) + 1;
}

/** The hub keeps 1 MiB. */
const maxBytes = 900 * 1024;
