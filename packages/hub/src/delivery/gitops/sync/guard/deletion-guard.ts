// Tells a mass deletion from single deletions. A mass deletion waits until it is confirmed; so does whatever disappears
// while one waits. Pure.

export type GuardState =
  /** Nothing waits. */
  | { readonly is: "open"; readonly passed: Passed }
  /** A deletion waits for a moment, so that it is judged together with those that follow right after. */
  | { readonly is: "gathering"; readonly leaving: Leaving; readonly passed: Passed }
  /** It waits for a confirmation. */
  | { readonly is: "holding"; readonly leaving: Leaving; readonly sinceMs: number };

/** By uid, in the order in which they were found missing. */
export type Leaving = ReadonlyMap<string, LeavingApplication>;
/** When those of the last minute were let go without a confirmation. */
type Passed = readonly number[];

export interface LeavingApplication {
  /** NAMESPACE/NAME on the source. */
  readonly name: string;
  readonly leftMs: number;
}

export type GuardEvent =
  /** They are gone from the source, or are being deleted there. */
  | { readonly is: "left"; readonly applications: Leaving }
  /** They are back, or nobody has them any more. */
  | { readonly is: "dropped"; readonly uids: readonly string[] }
  /** `present`: how many applications the source has that aren't leaving. */
  | { readonly is: "judged"; readonly nowMs: number; readonly present: number; readonly rules: GuardRules }
  | { readonly is: "confirmed"; readonly uids: readonly string[] };

export interface GuardRules {
  /** More than this share of all is a mass deletion. 100: none is. */
  readonly guardPercent: number;
  /** Fewer are none. */
  readonly guardMin: number;
}

export interface GuardStep {
  readonly state: GuardState;
  /** Uids of those that are deleted now. */
  readonly letGo: readonly string[];
}

export const openGuard: GuardState = { is: "open", passed: [] };

/** As another hub, or this one before its restart, left it. */
export function restoreGuard(held: Leaving, sinceMs: number): GuardState {
  return held.size === 0 ? openGuard : { is: "holding", leaving: held, sinceMs };
}

export function leavingOf(state: GuardState): Leaving {
  return state.is === "open" ? nobody : state.leaving;
}

export function nextGuardState(state: GuardState, event: GuardEvent): GuardStep {
  switch (event.is) {
    case "left": {
      const before = leavingOf(state);
      return { state: withLeaving(state, new Map([...before, ...event.applications, ...before])), letGo: [] };
    }
    case "dropped":
      return { state: withLeaving(state, without(leavingOf(state), event.uids)), letGo: [] };
    case "confirmed": {
      const letGo = event.uids.filter((uid) => leavingOf(state).has(uid));
      return { state: withLeaving(state, without(leavingOf(state), letGo)), letGo };
    }
    case "judged":
      return judge(state, event);
    default:
      return event satisfies never;
  }
}

function judge(state: GuardState, { nowMs, present, rules }: Extract<GuardEvent, { is: "judged" }>): GuardStep {
  if (state.is === "holding") return { state, letGo: [] };
  const passed = state.passed.filter((atMs) => nowMs - atMs < windowMs);
  if (state.is === "open") return { state: { is: "open", passed }, letGo: [] };
  const { leaving } = state;
  const gone = leaving.size + passed.length;
  const all = present + gone;
  if (gone >= rules.guardMin && gone * 100 > rules.guardPercent * all)
    return { state: { is: "holding", leaving, sinceMs: nowMs }, letGo: [] };
  const waitMs = rules.guardPercent >= 100 ? 0 : gatherMs;
  const letGo = [...leaving].filter(([, { leftMs }]) => nowMs - leftMs >= waitMs).map(([uid]) => uid);
  const after: GuardState = { ...state, passed: [...passed, ...letGo.map(() => nowMs)] };
  return { state: withLeaving(after, without(leaving, letGo)), letGo };
}

function withLeaving(state: GuardState, leaving: Leaving): GuardState {
  if (leaving.size > 0) return state.is === "open" ? { ...state, is: "gathering", leaving } : { ...state, leaving };
  return { is: "open", passed: state.is === "holding" ? [] : state.passed };
}

function without(leaving: Leaving, uids: readonly string[]): Leaving {
  const rest = new Map(leaving);
  for (const uid of uids) rest.delete(uid);
  return rest;
}

const nobody: Leaving = new Map();
/** Deletions within this time are taken together. */
const windowMs = 60_000;
/** So long a single deletion waits for others. */
export const gatherMs: number = 2_000;
