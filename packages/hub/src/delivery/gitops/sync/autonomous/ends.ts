// The hub's ends of an autonomous cluster's flows: its applications and projects are shown as they are there; what people
// ask of its applications goes to it.
import { isReservedClusterName } from "@fairlead/kernel";
import type { Application } from "@fairlead/protocol";
import { clusterAddress } from "../../destinations/index.ts";
import { gitopsErrors } from "../../errors.ts";
import { createHandOver } from "../hand-over.ts";
import { OperationRecords } from "../operation-records.ts";
import { PacedWrites } from "../paced-writes.ts";
import { createStatusTarget } from "../status-target.ts";
import type { EndsOptions, HubEnds, SharingSettings } from "../types.ts";
import { toMirroredStatus } from "./application.ts";
import { createMirroredApplications } from "./applications.ts";
import { createMirrorGuard } from "./guarded-mirrors.ts";
import { clusterLabel } from "./marks.ts";
import { createMirrors } from "./mirrors.ts";
import { applicationLimits, type MirrorLimits, projectLimits } from "./quota.ts";

export interface AutonomousOptions extends EndsOptions {
  readonly hubUid: string;
  /** On the hub, of Argo CD and so of all clusters' projects. Undefined: there is none. */
  readonly argoNamespace: string | undefined;
  readonly sharing: SharingSettings;
  /** For each kind; as in autonomous-quota.ts unless told. */
  readonly mirrorLimits?: MirrorLimits;
}

/** Throws GITOPS_NAMESPACE_ARGO, GITOPS_NAME_RESERVED: the cluster's mirrors would be for the hub's own cluster. */
export function createAutonomousEnds(options: AutonomousOptions): HubEnds {
  const { objects, namespace, argoNamespace, sharing, mirrorLimits, fence } = options;
  const { cluster } = fence;
  if (namespace === argoNamespace) throw gitopsErrors.GITOPS_NAMESPACE_ARGO({ cluster });
  if (isReservedClusterName(cluster)) throw gitopsErrors.GITOPS_NAME_RESERVED({ cluster });
  // Where the hub has no Argo CD nobody looks for projects elsewhere, and what a namespace may hold is the cluster's own.
  const projectNamespace = argoNamespace ?? namespace;
  const paced = new PacedWrites();
  const rules = { cluster, server: clusterAddress(sharing.publicUrl, cluster), policy: sharing.mirrors };
  const common = { ...options, paced, rules, places: { cluster, namespace, projectNamespace } };
  const guard = createMirrorGuard(options);
  const mirrors = createMirrors({
    guard,
    ...common,
    kind: "applications",
    limits: mirrorLimits ?? applicationLimits,
  });
  const projects = createMirrors({
    ...common,
    kind: "projects",
    limits: mirrorLimits ?? projectLimits,
  });
  const applications = createMirroredApplications({ ...options, mirrors });
  const records = new OperationRecords(options.keptOperations);
  const handOver = createHandOver({ ...options, applications, records });
  const status = createStatusTarget({
    ...options,
    applications,
    records,
    paced,
    pending: handOver.pending,
    onWritten: handOver.seeAgain,
    onCaughtUp: handOver.caughtUp,
    toShown: toMirroredStatus,
    untilMade: (uid) => mirrors.untilMade(uid),
  });
  guard.connect(mirrors);
  mirrors.connect({ onSeen: (mirror) => see(mirror as Application), onGone: (uid) => handOver.forget(uid) });
  handOver.connect({
    // The spec is the cluster's own.
    isSettled: () => true,
    isBehind: (uid) => status.target.isApplying(uid),
    ask: (application) => status.target.ask(applications.idOf(application), application.metadata.name),
  });
  return {
    sources: new Map(),
    targets: new Map([
      ["applications", mirrors.target],
      ["projects", projects.target],
      ["applications.status", status.target],
    ]),
    operations: handOver.operations,
    untilRoom: () => paced.untilRoom(),
    nameOf: (uid) => mirrors.mirrorOf(uid)?.metadata.name,
    heldDeletions: () => guard.heldCount,
    async run(signal) {
      await records.load();
      await guard.run(() => follow(signal));
    },
  };

  async function follow(signal: AbortSignal): Promise<void> {
    const { handler } = mirrors;
    await Promise.all([
      objects.watch({
        kind: "applications",
        namespace,
        labelSelector: "",
        signal,
        handler: { ...handler, listed },
      }),
      objects.watch({
        kind: "projects",
        namespace: projectNamespace,
        labelSelector: `${clusterLabel}=${cluster}`,
        signal,
        handler: projects.handler,
      }),
    ]);
  }

  function listed(found: Parameters<typeof mirrors.handler.listed>[0]): void {
    mirrors.handler.listed(found);
    handOver.listed(new Set([...mirrors.all()].flatMap((mirror) => mirrors.sourceOf(mirror) ?? [])));
    guard.loaded();
    status.target.loaded();
  }

  function see(application: Application): void {
    status.see(application);
    handOver.see(application);
  }
}
