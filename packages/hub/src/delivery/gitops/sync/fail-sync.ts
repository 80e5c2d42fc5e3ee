// Ends a sync as failed on the hub, with a reason: one that the cluster didn't carry out, and one that isn't handed over.
import { type Application, type Operation, readOperationId } from "@fairlead/protocol";
import { toFailedSync, withFailedSync } from "./failed-sync.ts";
import type { SharedApplications } from "./hub-applications.ts";
import type { OperationRecords } from "./operation-records.ts";
import { isNoted, isOutdated, toHandedOver } from "./requested-operation.ts";

export interface SyncFailing {
  /** The cluster has answered so. */
  fail(operation: Pick<Operation, "uid" | "id">, message: string): Promise<void>;
  /** Fails an operation that ran before: nobody runs it again, and its author waits for it. */
  failOutdated(uid: string): Promise<void>;
}

export function createSyncFailing(options: {
  readonly applications: SharedApplications;
  readonly records: OperationRecords;
  readonly onFenced: () => void;
  readonly now: () => number;
}): SyncFailing {
  const { applications, records, onFenced, now } = options;
  return { fail, failOutdated };

  /** The record comes first: a hub that takes over shows the failure, and asks for nothing. */
  async function fail({ uid, id }: Pick<Operation, "uid" | "id">, message: string): Promise<void> {
    const operation = applications.newest.get(uid)?.operation;
    if (operation === undefined || readOperationId(operation) !== id || !isNoted(records.of(uid), id)) return;
    const failure = toFailedSync({ operation, message, now: new Date(now()) });
    await records.change(uid, (record) => (isNoted(record, id) ? { ...toHandedOver(record, id), failure } : record));
    const written = await applications.write(uid, "writeStatus", ({ operation: there, ...rest }) =>
      readOperationId(there) === id
        ? ({ ...rest, status: withFailedSync(rest.status ?? {}, failure) } as Application)
        : undefined,
    );
    if (written.is === "fenced") onFenced();
  }

  /** The write comes first: it shows whether the operation is still there. */
  async function failOutdated(uid: string): Promise<void> {
    const operation = applications.newest.get(uid)?.operation;
    if (operation === undefined) return;
    const failure = toFailedSync({ operation, message: outdated, now: new Date(now()) });
    let isFailed = false;
    const written = await applications.write(uid, "writeStatus", (there) => {
      isFailed = isOutdated(there, records.of(uid));
      if (!isFailed) return undefined;
      const { operation: _, ...rest } = there;
      return { ...rest, status: withFailedSync(there.status ?? {}, failure) } as Application;
    });
    if (written.is === "fenced") onFenced();
    if (written.is === "done" && isFailed) await records.change(uid, (record) => ({ ...record, failure }));
  }
}

const outdated =
  "The operation has the ID of an earlier one, so it isn't run. Ask for a sync without fairlead.dev/operation-id in its info.";
