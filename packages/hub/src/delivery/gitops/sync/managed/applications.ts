// The hub's ends of a managed cluster's applications: what they are to be goes to the cluster, with what people ask of them;
// what became of them comes back.
import {
  type Application,
  type GitopsObject,
  type ReplicaContent,
  ReplicaSource,
  toContent,
  toSpecPart,
} from "@fairlead/protocol";
import { GuardedDeletions } from "../guarded-deletions.ts";
import { createHandOver } from "../hand-over.ts";
import { HubApplications } from "../hub-applications.ts";
import { OperationRecords } from "../operation-records.ts";
import { readShownRefusal, toShownRefusal } from "../refused-condition.ts";
import { createStatusTarget } from "../status-target.ts";
import type { EndsOptions, HubEnds } from "../types.ts";
import type { ApplicationScope } from "./application-scope.ts";
import { createSyncTraces } from "./trace-syncs.ts";

export function createManagedApplications(options: EndsOptions & { readonly scope: ApplicationScope }): HubEnds {
  const { scope, fence, limits, rules, holds, onWork, clock, random, log, signal } = options;
  const { isOwn } = scope;
  const applications = new HubApplications({ ...options, isOwn });
  const { newest } = applications;
  /** Applications that went elsewhere, as they were before. */
  const moved = new Map<string, Application>();
  const guard = new GuardedDeletions({ cluster: fence.cluster, rules, holds, clock, log });
  const source = new ReplicaSource({
    load(uid) {
      const application = guard.holds(uid) ? undefined : newest.get(uid);
      return application && contentOf(application);
    },
    onUnsure: ({ uid, name }) => guard.left(uid, scope.nameOf(name)),
    onAnswered: showAnswer,
    onWork,
    random,
    now: () => clock.steadyMs(),
    ...limits,
  });
  const records = new OperationRecords(options.keptOperations);
  const traces = options.tracer && createSyncTraces(options.tracer, fence.cluster);
  const handOver = createHandOver({ ...options, applications, records });
  const refusalOf = (uid: string): string | undefined => toShownRefusal(source.refusalOf(uid));
  const status = createStatusTarget({
    ...options,
    applications,
    records,
    refusalOf,
    pending: handOver.pending,
    onWritten: handOver.seeAgain,
    onCaughtUp: handOver.caughtUp,
  });
  guard.connect({ source, present, letGo });
  handOver.connect({
    isSettled: (uid) => source.isSettled(uid),
    isBehind: (uid) => status.target.isApplying(uid),
    ask: ({ metadata: { uid = "", namespace: space, name } }) => status.target.ask(uid, `${space}/${name}`),
  });
  return {
    sources: new Map([["applications", source]]),
    targets: new Map([["applications.status", status.target]]),
    operations: handOver.operations,
    untilRoom: status.untilRoom,
    nameOf: (uid) => nameOf(newest.get(uid)),
    heldDeletions: () => guard.heldCount,
    async run(until) {
      await records.load();
      await guard.run(() => scope.follow({ listed, changed, deleted, unavailable }, until));
    },
  };

  function listed(found: readonly GitopsObject[]): void {
    const own = (found as readonly Application[]).filter(isOwn);
    newest.list(own);
    source.list(own.filter(isTold).map((one) => [one.metadata.uid ?? "", contentOf(one).version]));
    for (const application of own) {
      traces?.listed(application);
      see(application);
    }
    handOver.listed(new Set(own.map(({ metadata: { uid = "" } }) => uid)));
    status.target.loaded();
  }

  function changed(object: GitopsObject): void {
    const application = object as Application;
    if (!isOwn(application)) {
      deleted(application);
      return;
    }
    if (!newest.take(application)) return;
    if (isTold(application)) source.put(application.metadata.uid ?? "", contentOf(application).version);
    traces?.changed(application);
    see(application);
  }

  function deleted(object: GitopsObject): void {
    const { uid = "", deletionTimestamp } = object.metadata;
    const last = newest.get(uid);
    if (last?.status !== undefined && deletionTimestamp === undefined) moved.set(uid, last);
    newest.drop(uid);
    traces?.forget(uid);
    handOver.forget(uid);
    guard.left(uid, nameOf(object) ?? "");
  }

  /** The cluster is told of an application's deletion when the guard has let the application go. */
  function isTold(application: Application): boolean {
    const { uid = "", deletionTimestamp } = application.metadata;
    if (deletionTimestamp === undefined) guard.back(uid);
    else if (!guard.isLetGo(uid)) guard.left(uid, nameOf(application) ?? "");
    return deletionTimestamp === undefined || guard.isLetGo(uid);
  }

  function letGo(uid: string, name: string): void {
    const application = newest.get(uid);
    if (application?.metadata.deletionTimestamp === undefined) void look({ uid, name });
    else source.put(uid, contentOf(application).version);
  }

  function present(): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    for (const application of newest.values()) {
      const { uid = "", deletionTimestamp } = application.metadata;
      if (deletionTimestamp === undefined && !guard.holds(uid)) all.set(nameOf(application) ?? "", uid);
    }
    return all;
  }

  function unavailable(reason: string): void {
    log.warn({ cluster: fence.cluster, reason }, "the hub's applications can't be read now");
  }

  /** Asks the cluster for the copy's status again, so that it is written with the refusal or without it. */
  function showAnswer(uid: string): void {
    const application = newest.get(uid);
    if (application === undefined || readShownRefusal(application) === refusalOf(uid)) return;
    status.target.ask(uid, nameOf(application) ?? "");
  }

  function see(application: Application): void {
    status.see(application);
    handOver.see(application);
  }

  /** Reports an application as gone only after a read that found none, or one that isn't the cluster's. */
  async function look({ uid, name }: { readonly uid: string; readonly name: string }): Promise<void> {
    const [space = "", plain = ""] = name.split("/");
    const known = newest.get(uid)?.metadata ?? { namespace: space, name: plain };
    if (known.namespace === "" || known.name === "") return;
    try {
      const found = await applications.reread(uid, known);
      if (found.is === "there") {
        moved.delete(uid);
        changed(found.object);
        return;
      }
      source.remove(uid, found.departure);
      const last = moved.get(uid);
      if (last !== undefined) await applications.clearStatus(last);
      moved.delete(uid);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, cluster: fence.cluster }, "an application can't be looked for now");
      clock.after(lookAgainMs, () => void look({ uid, name }));
    }
  }
}

function nameOf(object: GitopsObject | undefined): string | undefined {
  return object && `${object.metadata.namespace}/${object.metadata.name}`;
}

function contentOf(application: Application): ReplicaContent {
  return toContent(application.metadata, toSpecPart(application));
}

const lookAgainMs = 5_000;
