// Hands over what people ask of a cluster's applications, each request once, and remembers on the application that it was.
import {
  type Application,
  nextOperationId,
  type Operation,
  type OperationAction,
  type OperationOutcome,
  OperationSource,
  operationAnnotation,
} from "@fairlead/protocol";
import type { SharedApplications } from "./hub-applications.ts";
import { readRequestedSync, withMirrored, withRequestId } from "./requested-operation.ts";
import { listRequests } from "./requests.ts";
import type { EndsOptions } from "./types.ts";

export interface HandOver {
  /** Once, before an application is seen. */
  connect(ports: HandOverPorts): void;
  readonly operations: OperationSource;
  /** An application was listed, or changed: does somebody ask something of it? */
  see(application: Application): void;
  pending(application: Application): ReadonlySet<OperationAction>;
  forget(uid: string): void;
}

export interface HandOverPorts {
  /** Whether the cluster has the spec that the application has now. */
  readonly isSettled: (uid: string) => boolean;
  /** Has the cluster say what an application is there. */
  readonly ask: (application: Application) => void;
}

export function createHandOver(
  options: Pick<EndsOptions, "onWork" | "onFenced" | "clock" | "random" | "log" | "signal"> & {
    readonly applications: SharedApplications;
  },
): HandOver {
  const { applications, onWork, onFenced, clock, random, log, signal } = options;
  /** `UID ACTION` of ends of runs and refreshes that were answered, and that the application still shows. */
  const answered = new Map<string, string>();
  /** Applications whose sync gets an id at this moment. */
  const naming = new Set<string>();
  const now = (): number => clock.now();
  const operations = new OperationSource({
    isReady: ({ uid, action }) => action !== "sync" || ports?.isSettled(uid) === true,
    onSettled: (operation, outcome) => void settle(operation, outcome).catch(warn),
    onWork,
    now,
    random,
  });
  let ports: HandOverPorts | undefined;
  return { operations, connect, see, pending, forget };

  function connect(connected: HandOverPorts): void {
    ports = connected;
  }

  function see(application: Application): void {
    const uid = applications.idOf(application);
    const requests = listRequests(application);
    for (const action of ["terminate", "refresh"] as const) {
      if (!requests.some((request) => request.action === action)) answered.delete(`${uid} ${action}`);
    }
    for (const { action, id, content } of requests) {
      if (action === "sync" && id === undefined) void giveId(uid).catch(warn);
      else if (!isAnswered(uid, action, id)) operations.offer(toOperation(application, { action, id, content }));
    }
  }

  function pending(application: Application): ReadonlySet<OperationAction> {
    const uid = applications.idOf(application);
    const requests = listRequests(application).filter(({ action, id }) => !isAnswered(uid, action, id));
    return new Set(requests.map(({ action }) => action));
  }

  function forget(uid: string): void {
    operations.forget(uid);
    for (const key of answered.keys()) if (key.startsWith(`${uid} `)) answered.delete(key);
  }

  /** Another run's end is another request; a refresh is the same one as long as it is shown. */
  function isAnswered(uid: string, action: OperationAction, id: string | undefined): boolean {
    const before = answered.get(`${uid} ${action}`);
    return before !== undefined && (action === "refresh" || before === id);
  }

  /** It is written before the request is handed over: a hub that takes over hands it over under the same one. */
  async function giveId(uid: string): Promise<void> {
    if (naming.has(uid)) return;
    naming.add(uid);
    try {
      const outcome = await applications.write(uid, "writeStatus", (there) => {
        const requested = readRequestedSync(there);
        if (requested === undefined || requested.id !== undefined) return undefined;
        const last = there.metadata.annotations?.[operationAnnotation("sync")];
        const id = nextOperationId({ nowMs: now(), last, random });
        const annotations = withRequestId(there.metadata.annotations, id, requested.operation);
        return { ...there, metadata: { ...there.metadata, annotations } };
      });
      if (outcome.is === "fenced") onFenced();
    } finally {
      naming.delete(uid);
    }
    const named = applications.newest.get(uid);
    if (named !== undefined && readRequestedSync(named)?.id !== undefined) see(named);
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

  async function settleSync({ uid, id }: Pick<Operation, "uid" | "id">, { outcome }: OperationOutcome): Promise<void> {
    const written = await applications.write(uid, "writeStatus", (there) => {
      const requested = readRequestedSync(there);
      if (requested?.id !== id) return undefined;
      const { operation, ...rest } = there;
      const isRefused = outcome === "refused";
      const annotations = {
        ...withMirrored(there.metadata.annotations, isRefused ? undefined : operation),
        [operationAnnotation("sync")]: id,
      };
      return { ...(isRefused ? rest : there), metadata: { ...there.metadata, annotations } } as Application;
    });
    if (written.is === "fenced") onFenced();
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

  function warn(error: unknown): void {
    if (!signal.aborted) log.warn({ err: error }, "what was asked of an application can't be written down now");
  }
}
