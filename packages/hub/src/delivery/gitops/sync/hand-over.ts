// Hands over what people ask of a cluster's applications, each request once. A sync has its id in the operation itself, so
// whoever writes an application's metadata anew makes no request by it.
import {
  type Application,
  nextOperationId,
  type Operation,
  type OperationAction,
  type OperationOutcome,
  OperationSource,
  readOperationId,
} from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";
import { createAcceptance } from "./accept-sync.ts";
import { createSyncFailing } from "./fail-sync.ts";
import type { SharedApplications } from "./hub-applications.ts";
import type { OperationRecords } from "./operation-records.ts";
import { isNoted, isOutdated, readRequestedSync, toHandedOver, toIdle } from "./requested-operation.ts";
import { listRequests } from "./requests.ts";
import type { EndsOptions } from "./types.ts";

export interface HandOver {
  /** Once, before an application is seen. */
  connect(ports: HandOverPorts): void;
  readonly operations: OperationSource;
  /** An application was listed, or changed: does somebody ask something of it? */
  see(application: Application): void;
  /** The same for one that may have been written here. */
  seeAgain(uid: string): void;
  /** These are all applications. */
  listed(uids: ReadonlySet<string>): void;
  pending(application: Application): ReadonlySet<OperationAction>;
  /** All that the cluster has said of an application until now is written. */
  caughtUp(uid: string): void;
  forget(uid: string): void;
}

export interface HandOverPorts {
  /** Whether the cluster has the spec that the application has now. */
  readonly isSettled: (uid: string) => boolean;
  /** Whether a status that the cluster has told before now isn't written yet. */
  readonly isBehind: (uid: string) => boolean;
  /** Has the cluster say what an application is there. */
  readonly ask: (application: Application) => void;
}

export function createHandOver(
  options: Pick<EndsOptions, "onWork" | "onFenced" | "clock" | "random" | "log" | "signal"> & {
    readonly applications: SharedApplications;
    /** Loaded before an application is seen. */
    readonly records: OperationRecords;
  },
): HandOver {
  const { applications, records, onWork, onFenced, clock, random, log, signal } = options;
  /** `UID ACTION` of ends of runs and refreshes that were answered, and that the application still shows. */
  const answered = new Map<string, string>();
  /** The ids of syncs that the cluster has answered, whose applications get a status yet that it told before. */
  const early = new Map<string, string>();
  /** Applications whose sync gets an id, or is noted, at this moment. */
  const accepting = new Set<string>();
  const now = (): number => clock.now();
  const failing = createSyncFailing({ applications, records, onFenced, now });
  const accept = createAcceptance({ applications, records, onFenced, now, random });
  const operations = new OperationSource({
    isReady: ({ uid, action }) => action !== "sync" || ports?.isSettled(uid) === true,
    onSettled(operation, outcome) {
      if (operation.action === "sync" && ports?.isBehind(operation.uid)) early.set(operation.uid, operation.id);
      untilDone(() => settle(operation, outcome));
    },
    onWork,
    now: () => clock.steadyMs(),
    random,
  });
  let ports: HandOverPorts | undefined;
  return { operations, connect, see, seeAgain, listed, pending, caughtUp, forget };

  function connect(connected: HandOverPorts): void {
    ports = connected;
  }

  function see(application: Application): void {
    const uid = applications.idOf(application);
    if (application.operation === undefined && records.of(uid).operation !== undefined)
      untilDone(() => settleIdle(uid));
    const record = records.of(uid);
    if (isOutdated(application, record)) untilDone(() => failOutdated(uid));
    const requests = listRequests(application, record, now());
    for (const action of ["terminate", "refresh"] as const) {
      if (!requests.some((request) => request.action === action)) answered.delete(`${uid} ${action}`);
    }
    for (const { action, id, content } of requests) {
      if (action === "sync" && (id === undefined || !isNoted(record, id))) untilDone(() => acceptSync(uid));
      else if (!isAnswered(uid, action, id)) operations.offer(toOperation(application, { action, id, content }));
    }
  }

  function listed(uids: ReadonlySet<string>): void {
    void records.keepOnly(uids).catch(warn);
  }

  function pending(application: Application): ReadonlySet<OperationAction> {
    const uid = applications.idOf(application);
    const requests = listRequests(application, records.of(uid), now()).filter(
      ({ action, id }) => !isAnswered(uid, action, id),
    );
    // Such a status would take the operation away, and the end of the run before would look like its end.
    const isEarly = early.has(uid) && readOperationId(application.operation) === early.get(uid);
    return new Set([...requests.map(({ action }) => action), ...(isEarly ? (["sync"] as const) : [])]);
  }

  function caughtUp(uid: string): void {
    early.delete(uid);
  }

  function forget(uid: string): void {
    operations.forget(uid);
    early.delete(uid);
    for (const key of answered.keys()) if (key.startsWith(`${uid} `)) answered.delete(key);
    void records.drop(uid).catch(warn);
  }

  /** Another run's end is another request; a refresh is the same one as long as it is shown. */
  function isAnswered(uid: string, action: OperationAction, id: string | undefined): boolean {
    const before = answered.get(`${uid} ${action}`);
    return before !== undefined && (action === "refresh" || before === id);
  }

  async function settleIdle(uid: string): Promise<void> {
    const isIdle = (): boolean => {
      const there = applications.newest.get(uid);
      return there !== undefined && there.operation === undefined;
    };
    if (!isIdle()) return;
    await records.change(uid, (record) => (isIdle() ? toIdle(record) : record));
    const there = applications.newest.get(uid);
    if (there?.operation !== undefined) see(there);
  }

  async function acceptSync(uid: string): Promise<void> {
    if (accepting.has(uid)) return;
    accepting.add(uid);
    try {
      await accept(uid);
    } finally {
      accepting.delete(uid);
    }
    const there = applications.newest.get(uid);
    const id = there && readRequestedSync(there, records.of(uid), now())?.id;
    if (there !== undefined && id !== undefined) see(there);
  }

  function seeAgain(uid: string): void {
    const there = applications.newest.get(uid);
    if (there !== undefined && !signal.aborted) see(there);
  }

  async function settle({ uid, id, action }: Operation, outcome: OperationOutcome): Promise<void> {
    if (outcome.outcome === "refused") {
      const { reason, message } = outcome;
      log.warn({ application: uid, action, reason, message }, "a cluster refused what was asked of an application");
    }
    if (action === "sync") await settleSync({ uid, id }, outcome);
    else answered.set(`${uid} ${action}`, id);
    // A status that the cluster sent meanwhile wasn't taken as this operation's result, so the cluster is asked again.
    const application = applications.newest.get(uid);
    if (application !== undefined) ports?.ask(application);
  }

  async function settleSync({ uid, id }: Pick<Operation, "uid" | "id">, outcome: OperationOutcome): Promise<void> {
    const isDone = outcome.outcome === "started" || outcome.outcome === "repeated";
    if (isDone) await records.change(uid, (record) => toHandedOver(record, id));
    else await failing.fail({ uid, id }, outcome.outcome === "refused" ? outcome.message : superseded);
  }

  async function failOutdated(uid: string): Promise<void> {
    await failing.failOutdated(uid);
    const application = applications.newest.get(uid);
    if (application !== undefined) ports?.ask(application);
  }

  function toOperation(
    application: Application,
    { action, id, content }: { action: OperationAction; id: string | undefined; content: unknown },
  ): Operation {
    const { metadata } = application;
    return {
      uid: applications.idOf(application),
      name: `${metadata.namespace}/${metadata.name}`,
      action,
      id: id ?? nextOperationId({ nowMs: now(), last: undefined, random }),
      contentJson: Buffer.from(JSON.stringify(content)),
    };
  }

  /** What the database or the hub's objects can't take now they take later. */
  function untilDone(work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      warn(error);
      if (!signal.aborted) clock.after(retryMs, () => signal.aborted || untilDone(work));
    });
  }

  function warn(error: unknown): void {
    if (gitopsErrors.is(error, "GITOPS_NOT_OWNER")) onFenced();
    else if (!signal.aborted) log.warn({ err: error }, "what was asked of an application can't be written down now");
  }
}

const superseded = "The cluster started another sync that was asked for later.";
const retryMs = 5_000;
