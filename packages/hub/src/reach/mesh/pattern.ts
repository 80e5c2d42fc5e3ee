// The operator's regular expression, held to the whole of an identity. It runs with a limit: an expression that tries ways
// without end on some identity must not hold the hub up. Each identity is looked at once, however often its agent comes.
import { createContext, Script } from "node:vm";
import type { Clock } from "@fairlead/kernel";

export interface MeshPattern {
  /** Undefined when it doesn't match, or doesn't come to an end. */
  read(identity: string): Reading | undefined;
}

interface Reading {
  readonly cluster: string;
  readonly role: string | undefined;
}

export function compilePattern(
  source: string,
  options: {
    readonly clock: Clock;
    /** How many identities are remembered with their outcome. */
    readonly mostKnown?: number;
  },
): MeshPattern {
  const { clock, mostKnown = 4_096 } = options;
  const pattern = new RegExp(`^(?:${source})$`, "u");
  const place: { pattern: RegExp; identity: string } = Object.assign(Object.create(null), { pattern, identity: "" });
  createContext(place, { codeGeneration: { strings: false, wasm: false } });
  const match = new Script("pattern.exec(identity)");
  const known = new Map<string, Outcome>();
  return {
    read(identity) {
      const before = known.get(identity);
      const outcome = before && clock.now() < before.untilMs ? before : look(identity);
      if (outcome === before) return outcome.reading;
      known.delete(identity);
      for (const oldest of known.keys()) {
        if (known.size < mostKnown) break;
        known.delete(oldest);
      }
      known.set(identity, outcome);
      return outcome.reading;
    },
  };

  function look(identity: string): Outcome {
    place.identity = identity;
    try {
      const found = match.runInContext(place, { timeout: timeoutMs }) as RegExpExecArray | null;
      const { cluster, role } = found?.groups ?? {};
      return { reading: cluster === undefined ? undefined : { cluster, role }, untilMs: Number.POSITIVE_INFINITY };
    } catch {
      // It may be the machine that was slow.
      return { reading: undefined, untilMs: clock.now() + againMs };
    }
  }
}

interface Outcome {
  readonly reading: Reading | undefined;
  readonly untilMs: number;
}

/** A match takes less than a millisecond; on a machine that is busy with other things it may be put off for long. */
const timeoutMs = 1_000;
const againMs = 60_000;
