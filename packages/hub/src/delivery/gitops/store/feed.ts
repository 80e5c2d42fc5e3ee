// Tells all watches of this hub what any hub wrote: by one reading for all of them.
import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Changes } from "../../../platform/changes/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { BodySeal } from "./body-seal.ts";
import { keepGoneMs } from "./commit-write.ts";
import { type ChangedRow, listChangedRows, listRows, type ObjectRow, objectsTopic, toStoredObject } from "./rows.ts";
import { shareRuns } from "./share-runs.ts";
import type { ObjectChange } from "./types.ts";
import type { Watcher } from "./watcher.ts";

export interface StoreFeed {
  /** Until it is disposed of. */
  join(watcher: Watcher): AsyncDisposable;
}

export function createFeed(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "follow" | "era">;
  readonly seal: BodySeal;
  readonly clock: Clock;
}): StoreFeed {
  const { db, changes, seal, clock } = options;
  const watchers = new Set<Watcher>();
  let { era } = changes;
  let readMs = clock.steadyMs();
  const read = shareRuns(readAll);
  return {
    join(watcher) {
      watchers.add(watcher);
      // Read at once, again after each change, and again after a failure, which is told.
      const following = changes.follow(objectsTopic, () => read());
      return {
        async [Symbol.asyncDispose]() {
          watchers.delete(watcher);
          await following[Symbol.asyncDispose]();
        },
      };
    },
  };

  async function readAll(): Promise<void> {
    if (era !== changes.era || clock.steadyMs() - readMs > keepGoneMs / 2) {
      ({ era } = changes);
      for (const watcher of watchers) watcher.forgetPosition();
    }
    try {
      for (const watcher of watchers) if (watcher.position === undefined) await list(watcher);
      while (await tellSome());
      readMs = clock.steadyMs();
    } catch (error) {
      for (const watcher of watchers) watcher.fail(`The hub's database can't be read: ${messageOf(error)}`);
      throw error;
    }
  }

  async function list(watcher: Watcher): Promise<void> {
    const { rows, revision } = await listRows(db, watcher.scope);
    if (!watchers.has(watcher)) return;
    try {
      watcher.list(
        rows.map((row) => toStoredObject(row, seal)),
        revision,
      );
    } catch (error) {
      watcher.fail(messageOf(error));
    }
  }

  /** False: there is no more. */
  async function tellSome(): Promise<boolean> {
    // A watcher that joins meanwhile isn't passed: this read may leave out its namespace.
    const asking = [...watchers].filter(({ position }) => position !== undefined);
    const since = asking.reduce<bigint | undefined>((least, { position: at = 0n }) => minimum(least, at), undefined);
    if (since === undefined) return false;
    const { rows, revision } = await listChangedRows(db, { since, namespaces: namespacesOf(asking), limit: chunk });
    for (const watcher of asking) {
      if (!watchers.has(watcher)) continue;
      for (const row of rows) tell(watcher, row);
      watcher.pass(revision);
    }
    return rows.length === chunk;
  }

  function tell(watcher: Watcher, row: ChangedRow): void {
    if (watcher.scope.kind !== row.kind) return;
    try {
      watcher.tell(toChange(row));
    } catch (error) {
      watcher.forgetPosition();
      watcher.fail(messageOf(error));
    }
  }

  function toChange({ body, ...gone }: ChangedRow): ObjectChange {
    if (body !== null) return toStoredObject({ ...gone, body } satisfies ObjectRow, seal);
    return { ...gone, revision: BigInt(gone.revision), object: undefined };
  }
}

function namespacesOf(watchers: readonly Watcher[]): readonly string[] | undefined {
  const namespaces = watchers.map(({ scope }) => scope.namespace);
  return namespaces.every((namespace) => namespace !== undefined) ? [...new Set(namespaces)] : undefined;
}

function minimum(left: bigint | undefined, right: bigint): bigint {
  return left !== undefined && left < right ? left : right;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const chunk = 200;
