// Lets things happen to commands: their rows are locked, the state of each decides the outcome, and the steps are kept
// with it. Events of several commands at once are one transaction.
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { endIfIdle, type NewStep } from "../runs/index.ts";
import { type CommandEvent, type CommandState, isWaiting, nextCommandState } from "./command-state.ts";
import { type CommandRow, commandColumns, nameOf, toState } from "./rows.ts";
import { type Told, type Written, writeChanges } from "./write-changes.ts";

export interface Happening {
  readonly id: string;
  /** A function is called once the row is locked, and after `first`. */
  readonly event: CommandEvent | (() => CommandEvent);
  /** Somebody's name or `hub`; undefined: the agent that has claimed it. */
  readonly actor?: string | undefined;
  readonly reason?: string | (() => string | undefined) | undefined;
  /** Kept if the state becomes another one. */
  readonly outcome?: ((state: CommandState) => Told | undefined) | undefined;
  /** Must still be true of the row when it is locked. */
  readonly holds?: ((row: LockedRow) => boolean) | undefined;
  /** Runs in the same transaction, before the event happens. An error that it throws undoes all. */
  readonly first?: ((trx: Transaction<Tables>, row: LockedRow) => Promise<void>) | undefined;
}

/** Times are judged by the database's clock. */
export type LockedRow = CommandRow & { readonly is_lease_over: boolean; readonly is_approval_over: boolean };

export interface Happened {
  readonly row: CommandRow;
  readonly before: CommandState;
  readonly after: CommandState;
}

export interface CommandStore {
  /** Undefined when there is no such command. */
  happen(happening: Happening): Promise<Happened | undefined>;
  /** All or nothing, in this order; answers in the same order. Several may be about one command. */
  happenAll(happenings: readonly Happening[]): Promise<readonly (Happened | undefined)[]>;
  find(id: string): Promise<CommandRow | undefined>;
}

export function createCommandStore(options: {
  readonly db: Kysely<Tables>;
  /** After the commit, and only if something changed. */
  readonly onHappened: (happened: Happened) => void;
}): CommandStore {
  const { db, onHappened } = options;
  return {
    happen: async (happening) => (await happenAll([happening]))[0],
    happenAll,
    find: (id) => db.selectFrom("command").select(commandColumns).where("id", "=", id).executeTakeFirst(),
  };

  async function happenAll(happenings: readonly Happening[]): Promise<readonly (Happened | undefined)[]> {
    const all = await db.transaction().execute((trx) => settle(trx, happenings));
    for (const happened of all) if (happened && happened.before !== happened.after) onHappened(happened);
    return all;
  }
}

async function settle(
  trx: Transaction<Tables>,
  happenings: readonly Happening[],
): Promise<readonly (Happened | undefined)[]> {
  const lives = new Map((await lock(trx, happenings)).map((row) => [row.id, new Life(row)]));
  const changes: (Change | undefined)[] = [];
  for (const happening of happenings) {
    const life = lives.get(happening.id);
    if (life) await happening.first?.(trx, life.row);
    changes.push(life?.undergo(happening));
  }
  const changed = [...lives.values()].filter((life) => life.hasChanged);
  const written = await writeChanges(
    trx,
    changed,
    changed.flatMap(({ steps }) => steps),
  );
  return happenings.map(({ id }, index) => {
    const [change, locked] = [changes[index], lives.get(id)?.row];
    return change && locked && { row: written.get(id) ?? locked, ...change };
  });
}

/** In one order everywhere, so that two who lock several never wait for each other. */
async function lock(trx: Transaction<Tables>, happenings: readonly Happening[]): Promise<LockedRow[]> {
  const ids = [...new Set(happenings.map(({ id }) => id))];
  return await trx
    .selectFrom("command")
    .select(commandColumns)
    .select(sql<boolean>`coalesce(lease_until <= clock_timestamp(), false)`.as("is_lease_over"))
    .select(sql<boolean>`coalesce(approval_until <= clock_timestamp(), false)`.as("is_approval_over"))
    .select(endIfIdle.as("idle"))
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .orderBy("id")
    .forUpdate()
    .execute();
}

type Change = Omit<Happened, "row">;

/** The changes of one command in a transaction. */
class Life implements Written {
  readonly row: LockedRow;
  readonly #first: CommandState;
  readonly steps: NewStep[] = [];
  state: CommandState;
  told: Told = {};
  waitsAgain = false;
  beginsToWait = false;

  constructor(row: LockedRow) {
    this.row = row;
    this.#first = toState(row);
    this.state = this.#first;
  }

  get id(): string {
    return this.row.id;
  }

  get hasChanged(): boolean {
    return this.state !== this.#first;
  }

  undergo({ event, reason, outcome, holds, actor }: Happening): Change {
    const before = this.state;
    const now = typeof event === "function" ? event() : event;
    const after = holds?.(this.row) === false ? before : nextCommandState(before, now);
    if (after === before) return { before, after };
    this.state = after;
    const told = outcome?.(after) ?? {};
    this.told = { ...this.told, ...told };
    const [from, to] = [nameOf(before), nameOf(after)];
    this.waitsAgain ||= isWaiting(before) && after.is === "queued";
    this.beginsToWait ||= !isWaiting(before) && isWaiting(after);
    const isApproval = before.gate?.given !== after.gate?.given;
    if (from !== to || isApproval || before.cancellation !== after.cancellation) {
      const by = actor ?? `agent ${this.row.claimed_by ?? ""}`;
      const why = typeof reason === "function" ? reason() : reason;
      this.steps.push({ command: this.id, actor: by, from, to, reason: why ?? told.code });
    }
    return { before, after };
  }
}
