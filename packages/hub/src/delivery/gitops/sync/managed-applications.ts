// The hub's ends of a managed cluster's applications: what they are to be goes to the cluster, with what people ask of them;
// what became of them comes back.
import {
  type Application,
  type GitopsObject,
  isIgnored,
  type ReplicaContent,
  ReplicaSource,
  toContent,
  toSpecPart,
} from "@fairlead/protocol";
import { createHandOver } from "./hand-over.ts";
import { HubApplications } from "./hub-applications.ts";
import { createStatusTarget } from "./status-target.ts";
import type { EndsOptions, HubEnds } from "./types.ts";

export function createManagedApplications(options: EndsOptions): HubEnds {
  const { objects, namespace, fence, limits, onWork, clock, random, log, signal } = options;
  const applications = new HubApplications(options);
  const { newest } = applications;
  const source = new ReplicaSource({
    load(uid) {
      const application = newest.get(uid);
      return application && contentOf(application);
    },
    onUnsure: (unsure) => void look(unsure),
    ...{ onWork, random, now: () => clock.now(), ...limits },
  });
  const handOver = createHandOver({
    ...{ ...options, applications, isSettled: (uid) => source.isSettled(uid) },
    ask: ({ metadata: { uid = "", namespace: space, name } }) => status.target.ask(uid, `${space}/${name}`),
  });
  const status = createStatusTarget({ ...options, applications, pending: handOver.pending });
  return {
    sources: new Map([["applications", source]]),
    targets: new Map([["applications.status", status.target]]),
    operations: handOver.operations,
    untilRoom: status.untilRoom,
    run: (until) =>
      objects.watch({
        ...{ kind: "applications", namespace, labelSelector: "", signal: until },
        handler: { listed, changed, deleted, unavailable },
      }),
  };

  function listed(found: readonly GitopsObject[]): void {
    const shared = (found as readonly Application[]).filter((one) => !isIgnored(one));
    for (const application of shared) newest.take(application);
    source.list(shared.map((one) => [one.metadata.uid ?? "", contentOf(one).version]));
    for (const application of shared) see(application);
    status.target.loaded();
  }

  function changed(object: GitopsObject): void {
    const application = object as Application;
    if (isIgnored(application)) {
      deleted(application);
      return;
    }
    if (!newest.take(application)) return;
    source.put(application.metadata.uid ?? "", contentOf(application).version);
    see(application);
  }

  function deleted({ metadata: { uid = "" } }: GitopsObject): void {
    newest.drop(uid);
    handOver.forget(uid);
    source.remove(uid);
  }

  function unavailable(reason: string): void {
    log.warn({ cluster: fence.cluster, reason }, "the hub's applications can't be read now");
  }

  function see(application: Application): void {
    status.see(application);
    handOver.see(application);
  }

  /** What is gone is told only after a read that found nothing. */
  async function look({ uid, name }: { readonly uid: string; readonly name: string }): Promise<void> {
    const [space = "", plain = ""] = name.split("/");
    const known = newest.get(uid)?.metadata ?? { namespace: space, name: plain };
    if (known.name === "") return;
    try {
      const found = await applications.reread(uid, known);
      if (found !== undefined) changed(found);
      else source.remove(uid);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, cluster: fence.cluster }, "an application can't be looked for now");
    }
  }
}

function contentOf(application: Application): ReplicaContent {
  return toContent(application.metadata, toSpecPart(application));
}
