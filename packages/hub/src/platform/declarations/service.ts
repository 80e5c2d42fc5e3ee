// Keeps what is declared in force: reads the folder again and again, has the wings make things the same, and sees
// changes made elsewhere. A single one of several hubs does so at a time.
import { type Clock, createTurns, type FairleadError, repeat, toFairleadError } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Changes } from "../changes/index.ts";
import type { Leases } from "../leases/index.ts";
import { isStoreFailure, type Tables } from "../store/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { declarationErrors } from "./errors.ts";
import { createDeclaredGuard, type DeclaredGuard } from "./guard.ts";
import { loadChanged, loadDeclarations } from "./load.ts";
import { type Owned, openOwned } from "./owned.ts";
import type { DeclaredPart, Finding } from "./part.ts";
import { createPrecedence } from "./precedence.ts";
import { type DeclarationsStatus, type Drift, describeStatus } from "./status.ts";
import type { Declarations, DeclaredLimits } from "./types.ts";

export interface DeclarationsRoom extends AsyncDisposable {
  readonly guard: DeclaredGuard;
  /** Makes what is there what is declared, and keeps it so. */
  begin(options: {
    readonly parts: readonly DeclaredPart[];
    /** These clusters aren't declared any more: their links end. */
    readonly onWithdrawn: (clusters: readonly string[]) => void;
  }): Promise<void>;
  status(): DeclarationsStatus;
  readonly counters: DeclarationCounters;
}

export interface DeclarationCounters {
  /** How many documents are in force. */
  readonly documents: number;
  readonly isFailing: boolean;
  readonly drifts: number;
}

export interface DeclarationsOptions {
  readonly folder: string;
  readonly keepsNothing: boolean;
  readonly db: Kysely<Tables>;
  readonly changes: Changes;
  readonly leases: Pick<Leases, "take">;
  /** Other hubs use the same database. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onLimits: (declared: DeclaredLimits | undefined) => void;
}

/** Throws what is wrong with the files: without them there is nothing to begin with. */
export async function openDeclarations(options: DeclarationsOptions): Promise<DeclarationsRoom> {
  const { folder, keepsNothing, db, changes, leases, isShared, clock, log, onLimits } = options;
  let current = await loadDeclarations(folder);
  let clusters = byName(current.wanted.clusters);
  onLimits(current.wanted.limits);
  let readMs = clock.now();
  let problem: { readonly error: FairleadError; readonly sinceMs: number } | undefined;
  let isDue = true;
  let before: string | undefined;
  const precedence = createPrecedence();
  let lookedForDriftMs = Number.NEGATIVE_INFINITY;
  let driftCount = 0;
  let owned: Owned | undefined;
  let parts: readonly DeclaredPart[] = [];
  let kept: readonly Finding[] = [];
  const drifts = new Map<string, Drift>();
  const inTurn = createTurns();
  const room = new AsyncDisposableStack();

  return {
    guard: createDeclaredGuard({
      owned: () => owned,
      keepsNothing,
      cluster: (name) => clusters.get(name),
      hasAdmin: keepsNothing && current.wanted.bindings.some(isWholeAdminDeclared),
    }),
    async begin(given) {
      ({ parts } = given);
      owned = room.use(await openOwned({ db, changes, onWithdrawn: given.onWithdrawn }));
      await inTurn(() => settle("files")).catch(startWithOthers);
      if (problem === undefined) log.info({ folder, documents: countDocuments() }, "declarations are in force");
      room.use(repeat({ clock, intervalMs: lookEveryMs, run: () => inTurn(look), onError: fail }));
    },
    status: () =>
      describeStatus({
        folder,
        readMs,
        keepsNothing,
        problem,
        kept,
        drifts,
        wanted: current.wanted,
        owned: owned?.list() ?? [],
        present: parts.flatMap((part) => part.list()),
      }),
    counters: {
      get documents() {
        return countDocuments();
      },
      get isFailing() {
        return problem !== undefined;
      },
      get drifts() {
        return driftCount;
      },
    },
    [Symbol.asyncDispose]: () => room.disposeAsync(),
  };

  async function look(): Promise<void> {
    // Also while the files are bad: then this hub goes by what they were.
    if (isShared && isInForce()) await owned?.confirm();
    const next = await loadChanged(folder, current.digest);
    readMs = clock.now();
    if (next) {
      before ??= current.digest;
      current = next;
      clusters = byName(next.wanted.clusters);
      onLimits(next.wanted.limits);
      isDue = true;
    }
    if (isDue || (isShared && !isInForce())) await settle("files");
    else if (clock.steadyMs() - lookedForDriftMs >= driftEveryMs) await settle("drift");
    if (problem) log.info({ folder }, "the declarations are good again");
    problem = undefined;
  }

  /** Throws DECLARATIONS_DIFFER where other files count. */
  async function settle(why: "files" | "drift"): Promise<void> {
    if (owned === undefined) return;
    await owned.reread();
    const { inForce } = owned;
    if (isShared && !precedence.judge({ ours: current.digest, before, inForce })) {
      before = undefined;
      isDue = true;
      throw declarationErrors.DECLARATIONS_DIFFER({ folder });
    }
    await using lease = isShared ? await leases.take("declarations") : undefined;
    // Another hub is about it.
    if (isShared && lease === undefined) return;
    await owned.reread();
    // Another hub was about it, and what was judged isn't so any more.
    if (isShared && owned.inForce?.digest !== inForce?.digest) return;
    const found: Finding[] = [];
    const task = { ...current, owned: owned.list(), guard: async (trx: Kysely<Tables>) => await lease?.guard(trx) };
    for (const part of parts) found.push(...(await part.reconcile(task)));
    if (!isInForce()) await owned.settle(task);
    await owned.reread();
    kept = found.filter(({ did }) => did === "kept");
    const isDrift = !isDue || why === "drift";
    isDue = false;
    before = undefined;
    lookedForDriftMs = clock.steadyMs();
    for (const finding of found) note(finding, isDrift);
  }

  function note(finding: Finding, isDrift: boolean): void {
    const { kind, name, did, detail } = finding;
    if (did === "kept") log.warn({ kind, name, detail }, "it isn't declared any more, and can't go");
    else if (isDrift) noteDrift(finding);
    else log.info({ kind, name, did, detail }, "declaration applied");
  }

  function noteDrift({ kind, name, did, detail }: Finding): void {
    driftCount += 1;
    if (drifts.size >= mostDrifts) drifts.clear();
    drifts.set(`${kind} ${name}`, { atMs: clock.now(), detail });
    log.warn({ kind, name, did, detail }, "it wasn't as declared any more, and is again");
  }

  function isInForce(): boolean {
    return owned?.inForce?.digest === current.digest;
  }

  /** This hub serves by what is in force. */
  function startWithOthers(thrown: unknown): void {
    if (!declarationErrors.is(thrown, "DECLARATIONS_DIFFER")) throw thrown;
    fail(thrown);
  }

  function fail(thrown: unknown): void {
    // Another place says that the store is away.
    if (isStoreFailure(thrown)) {
      precedence.forget();
      return;
    }
    const error = toFairleadError(thrown);
    if (problem?.error.message === error.message) return;
    problem = { error, sinceMs: problem?.sinceMs ?? clock.now() };
    // Hubs that get new files one after the other differ for a while.
    const level = declarationErrors.is(error, "DECLARATIONS_DIFFER") ? "warn" : "error";
    log[level]({ err: error, folder }, "the declarations can't be applied; the last good ones stay in force");
  }

  function countDocuments(): number {
    const { wanted } = current;
    const lists = [wanted.clusters, wanted.roles, wanted.bindings, wanted.robots, wanted.limits ? [wanted.limits] : []];
    return lists.reduce((sum, { length }) => sum + length, 0);
  }
}

function isWholeAdminDeclared({ role, clusters }: Declarations["bindings"][number]): boolean {
  return role === "admin" && "all" in clusters;
}

function byName<T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.name, one]));
}

const lookEveryMs = 3_000;
const driftEveryMs = 30_000;
const mostDrifts = 1_000;
