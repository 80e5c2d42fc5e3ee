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

/** What was rendered for the plan, sealed. The key is in a Secret beside the release, or here where that can't be. */
export type Kept = { readonly text: string } & ({ readonly secret: string } | { readonly key: string });

interface HelmState {
  readonly memory?: Memory | undefined;
  readonly kept?: Kept | undefined;
}

/** Another version of the agent may have written it; then undefined, and all is looked at anew. */
export function readMemory(state: unknown): Memory | undefined {
  return readState(state).memory;
}

export function readKept(state: unknown): Kept | undefined {
  return readState(state).kept;
}

/** The state of before with these members. */
export function stateWith(before: unknown, members: HelmState): unknown {
  return { version, ...readState(before), ...members };
}

function readState(state: unknown): HelmState {
  if (typeof state !== "object" || state === null || !("version" in state) || state.version !== version) return {};
  const { memory, kept } = state as HelmState;
  return { ...(memory && { memory }), ...(kept && { kept }) };
}

export function tellFailure({ code, message, hint }: FairleadError): Told {
  return { code: String(code), message, hint };
}

export function recallFailure(told: Told): FairleadError {
  return new FairleadError(told);
}

const version = 1;
