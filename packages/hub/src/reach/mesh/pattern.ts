// The operator's regular expression, held to the whole of an identity. It runs with a limit: an expression that tries ways
// without end on some identity must not hold the hub up.
import { createContext, Script } from "node:vm";

export interface MeshPattern {
  /** Undefined when it doesn't match, or doesn't come to an end. */
  read(identity: string): { readonly cluster: string; readonly role: string | undefined } | undefined;
}

export function compilePattern(source: string): MeshPattern {
  const pattern = new RegExp(`^(?:${source})$`, "u");
  const place: { pattern: RegExp; identity: string } = Object.assign(Object.create(null), { pattern, identity: "" });
  createContext(place, { codeGeneration: { strings: false, wasm: false } });
  const match = new Script("pattern.exec(identity)");
  return {
    read(identity) {
      place.identity = identity;
      let found: RegExpExecArray | null;
      try {
        found = match.runInContext(place, { timeout: timeoutMs }) as RegExpExecArray | null;
      } catch {
        return undefined;
      }
      const { cluster, role } = found?.groups ?? {};
      return cluster === undefined ? undefined : { cluster, role };
    },
  };
}

/** A match takes less than a hundredth of it. */
const timeoutMs = 25;
