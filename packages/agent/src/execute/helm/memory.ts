// Helm's part of the command's record. It is written before each effect, so that the next claim knows what was meant.
import { FairleadError } from "@fairlead/kernel";

export interface Memory {
  /** `undo`: an upgrade has failed, and is put right. */
  readonly phase: "act" | "undo";
  /** The revision that was deployed before, if there was one. */
  readonly before: number | undefined;
  /** The step makes this revision, or a later one. */
  readonly expected: number;
  /** The revision that a rollback goes back to. */
  readonly target?: number | undefined;
  /** Why it is put right. */
  readonly failure?: Told | undefined;
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Another version of the agent may have written it; then undefined, and all is looked at anew. */
export function readMemory(state: unknown): Memory | undefined {
  if (typeof state !== "object" || state === null || !("version" in state) || state.version !== version)
    return undefined;
  return (state as unknown as { readonly memory: Memory }).memory;
}

export function memoryState(memory: Memory): unknown {
  return { version, memory };
}

export function tellFailure({ code, message, hint }: FairleadError): Told {
  return { code: String(code), message, hint };
}

export function recallFailure(told: Told): FairleadError {
  return new FairleadError(told);
}

const version = 1;
