// Rights change one at a time, over all hubs on the database: each change holds a lock of the database, begins with
// memory as the rows are, and decides from it. Others' changes reach memory by the same reading when nobody changes
// anything.
import { createTurns } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Changes } from "../../../platform/changes/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import { createSharedRun } from "./shared-run.ts";

/** The way in which hubs on one database hear of each other's changes. */
export type ChangesPort = Pick<Changes, "commit" | "raise" | "hint" | "follow" | "era">;

export interface Ledger {
  /** Runs `work` while no hub changes rights, with memory as the database has it. With a step it is part of that change. */
  change<T>(work: (step: Step) => Promise<T>, step?: Step): Promise<T>;
  /** Makes memory what the database has. */
  reread(): Promise<void>;
  keep(keeper: Keeper): void;
}

/** A change that is under way. */
export interface Step {
  readonly trx: Transaction<Tables>;
  /** Called when it is committed. */
  after(apply: () => void): void;
}

/** Reads rows; what it returns makes memory the same and says how they differed. */
export type Keeper = (trx: Kysely<Tables>) => Promise<() => Difference>;

export type Difference = "none" | "more" | "less";

export function openLedger(options: {
  readonly db: Kysely<Tables>;
  readonly changes: ChangesPort;
  /** Others changed something; `less` may take rights away. */
  readonly onOthers: (difference: "more" | "less") => void;
}): Ledger {
  const { db, changes, onOthers } = options;
  const keepers: Keeper[] = [];
  const inTurn = createTurns();

  return {
    async change(work, step) {
      if (step) return await work(step);
      return await inTurn(async () => {
        const applies: (() => void)[] = [];
        const result = await changes.commit("access", async (trx) => {
          await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`.execute(trx);
          await readAll(trx);
          return await work({ trx, after: (apply) => void applies.push(apply) });
        });
        for (const apply of applies) apply();
        return result;
      });
    },

    // In turn, so that what it read is never older than memory.
    reread: createSharedRun(() => inTurn(() => db.transaction().setIsolationLevel("repeatable read").execute(readAll))),

    keep: (keeper) => void keepers.push(keeper),
  };

  async function readAll(trx: Transaction<Tables>): Promise<void> {
    const applies: (() => Difference)[] = [];
    for (const keeper of keepers) applies.push(await keeper(trx));
    // All at once: nobody sees a binding without its role.
    const found = applies.map((apply) => apply());
    if (found.includes("less")) onOthers("less");
    else if (found.includes("more")) onOthers("more");
  }
}

/** "access" in ASCII. */
const lockKey = "107079497249651";
