// Accepts a sync that somebody asks for: it gets an id, and is noted. The id is in the operation before the request is noted,
// and noted before it is handed over. So an operation without an id was never handed over, and one with an id is handed over
// under it by any hub, whatever its records say.
import { type Application, nextOperationId, readOperationId, withOperationId } from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";
import type { SharedApplications } from "./hub-applications.ts";
import type { OperationRecords } from "./operation-records.ts";
import { isNoted, type OperationRecord, readRequestedSync, toRequested } from "./requested-operation.ts";

/** The function that it returns throws when the caller is to try again. */
export function createAcceptance(options: {
  readonly applications: SharedApplications;
  readonly records: OperationRecords;
  readonly onFenced: () => void;
  readonly now: () => number;
  readonly random: () => number;
}): (uid: string) => Promise<void> {
  const { applications, records, onFenced, now, random } = options;
  return async (uid) => {
    const named = await applications.write(uid, "writeStatus", (there) => withId(there, records.of(uid)));
    if (named.is === "fenced") return onFenced();
    if (named.is === "refused") {
      const { reason, message } = named.refusal;
      throw gitopsErrors.GITOPS_APPLICATION_REFUSED({ name: uid, reason, message });
    }
    await records.change(uid, (record) => noted(applications.newest.get(uid), record));
  };

  function withId(there: Application, record: OperationRecord): Application | undefined {
    const requested = readRequestedSync(there, record, now());
    if (requested === undefined || requested.id !== undefined) return undefined;
    const ran = readOperationId(there.status?.operationState?.["operation"]);
    const last = [record.lastId, ran]
      .filter((id) => id !== undefined)
      .sort()
      .at(-1);
    const id = nextOperationId({ nowMs: now(), last, random });
    return { ...there, operation: withOperationId(requested.operation, id) };
  }

  function noted(there: Application | undefined, record: OperationRecord): OperationRecord {
    const id = there && readRequestedSync(there, record, now())?.id;
    return id === undefined || isNoted(record, id) ? record : toRequested(id);
  }
}
