// The room of Argo CD applications: which are at the hub, which in clusters, and how both stay the same.
import { type Clock, isFairleadError } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import { type ClusterAccess, createKubeClient, inClusterConfig, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import type { GitopsObject } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access, OwnRobot } from "../../people/access/index.ts";
import type { Changes } from "../../platform/changes/index.ts";
import type { Leases } from "../../platform/leases/index.ts";
import type { KeySeal } from "../../platform/pki/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { AddServices } from "../../reach/links/index.ts";
import { createApplicationRoutes, createApplications } from "./applications/index.ts";
import { createArgoObjectRoutes, createArgoObjects, releaseProjects } from "./argo-objects/index.ts";
import { keepClusterSecrets, toSecretLabels } from "./cluster-secrets/index.ts";
import { clusterAddress, createDestinedApplications, type NamespaceRules } from "./destinations/index.ts";
import { gitopsErrors } from "./errors.ts";
import { createKubernetesObjects } from "./kubernetes/index.ts";
import { createLeaving, createLeavingRoutes, createLeavingStore, letApplicationsGo } from "./leaving/index.ts";
import { createGitopsRpc, createReplication, OwnedSyncs } from "./replicate/index.ts";
import {
  createGitopsSettings,
  createGitopsSettingsRoutes,
  createGitopsSettingsStore,
  toGitopsSettings,
} from "./settings/index.ts";
import { createSharedObjects } from "./shared/index.ts";
import {
  createGitopsStatuses,
  createGitopsStatusRoutes,
  createGitopsStatusStore,
  createStatusReporter,
  type StatusReporter,
} from "./status/index.ts";
import { createStoredObjects } from "./store/index.ts";
import { createDeletionHolds, createKeptOperations, openEnds, type SharingSettings } from "./sync/index.ts";
import type { HubObjects } from "./types.ts";

export interface GitopsRoom extends AsyncDisposable {
  readonly routes: readonly FastifyPluginAsync[];
  readonly addServices: AddServices;
  /** On the hub. */
  readonly findApplication: (namespace: string, name: string) => Promise<GitopsObject | undefined>;
  /** For metrics. */
  readonly totals: StatusReporter["totals"];
  /** Those of the cluster, as the hub that serves it said last. */
  readonly countApplications: (cluster: string) => Promise<number>;
  /** Ends all calls and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export interface GitopsOptions {
  readonly db: Kysely<Tables>;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  readonly access: Pick<Access, "require" | "may">;
  readonly clusters: Pick<Clusters, "meet" | "exists" | "labels" | "state">;
  readonly leases: Pick<Leases, "take" | "hold">;
  readonly changes: Pick<Changes, "commit" | "follow" | "raise" | "hint" | "era">;
  /** Encrypts the Secrets that the hub keeps itself. */
  readonly seal: KeySeal;
  /** For the cluster of the hub's Argo CD. Undefined: the hub keeps applications itself. */
  readonly kubeconfig: string | undefined;
  readonly sharing: SharingSettings;
  /** For clusters with the mapping by destination: where else than in Argo CD's own namespace applications may be. */
  readonly applicationNamespaces: readonly string[];
  /** By which the hub's Argo CD reaches clusters. Undefined: it isn't to. */
  readonly argoReach: ArgoReach | undefined;
  /** This hub among others. */
  readonly hubInstanceId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tracer: Tracer | undefined;
}

export interface ArgoReach {
  readonly robot: OwnRobot;
  /** The CA of the certificates that people's listener shows, where they are the hub's own. */
  readonly caPem: () => string | undefined;
}

export async function openGitops(options: GitopsOptions): Promise<GitopsRoom> {
  const { db, queries, access, clusters, leases, changes, seal, kubeconfig, sharing, hubInstanceId, clock, log } =
    options;
  const { applicationNamespaces } = options;
  await using undo = new AsyncDisposableStack();
  const store = createGitopsSettingsStore(db);
  const client = kubeconfig === undefined ? undefined : undo.use(await openClient(kubeconfig, options.environment));
  const owned = new OwnedSyncs();
  const objects: HubObjects = undo.use(
    client
      ? createKubernetesObjects({ client, isOwner: (fence) => owned.isOwner(fence) })
      : createStoredObjects({ db, changes, seal, clock }),
  );
  const shared = createSharedObjects({ objects, namespace: sharing.argoNamespace, clock, log });
  const { uid: hubUid } = await db.selectFrom("gitops_hub").select("uid").executeTakeFirstOrThrow();
  const listExchanging = async (): Promise<string[]> =>
    (await store.list()).flatMap(({ cluster, mode }) => (mode === "off" ? [] : cluster));
  const rules: NamespaceRules = { argoNamespace: sharing.argoNamespace, applicationNamespaces };
  const destined = client && createDestinedApplications({ objects, rules, listExchanging, clock, log });
  const statusStore = createGitopsStatusStore({ db, changes });
  const reporter = createStatusReporter({ store: statusStore, hub: hubInstanceId, clock, log });
  const replication = undo.use(
    createReplication({
      readSettings: async (cluster) => toGitopsSettings(cluster, await store.find(cluster)),
      listSettings: async () => (await store.list()).map((row) => toGitopsSettings(row.cluster, row)),
      openEnds: (settings, ends) =>
        openEnds(settings, {
          ...ends,
          objects,
          hubUid,
          shared,
          sharing,
          argoNamespace: client && sharing.argoNamespace,
          namespace: settings.cluster,
          mapping: settings.mapping,
          destined,
          tracer: options.tracer,
          rules: settings.rules,
          holds: createDeletionHolds({ db, changes }, ends.fence),
          keptOperations: createKeptOperations(db, ends.fence),
        }),
      reportStatus: reporter.report,
      leases,
      owned,
      hubUid,
      argoNamespace: sharing.argoNamespace,
      clock,
      log,
    }),
  );
  undo.use(
    releaseProjects({
      objects,
      namespace: sharing.argoNamespace,
      isNeeded: async () => (await store.list()).some(({ mode }) => mode === "managed"),
      leases,
      clock,
      log,
    }),
  );
  const { argoReach } = options;
  const toPlace = (cluster: string, mode: string) => ({
    server: clusterAddress(sharing.publicUrl ?? "", cluster) ?? "",
    caPem: argoReach?.caPem(),
    labels: toSecretLabels(clusters.labels(cluster) ?? {}, mode),
  });
  if (client && argoReach)
    undo.use(
      keepClusterSecrets({
        client,
        namespace: sharing.argoNamespace,
        hubUid,
        robot: argoReach.robot,
        leases,
        clock,
        log,
        async listPlaces() {
          const rows = (await store.list()).map((row) => toGitopsSettings(row.cluster, row));
          const shown = rows.filter(({ mode }) => mode !== "off");
          return new Map(shown.map(({ cluster, mode }) => [cluster, toPlace(cluster, mode)]));
        },
      }),
    );
  const asked = createGitopsSettingsStore(queries);
  const settings = createGitopsSettings({
    store: asked,
    access,
    clusters,
    argoNamespace: sharing.argoNamespace,
    hasArgo: client !== undefined,
    clock,
    onChanged({ cluster }) {
      destined?.refresh();
      replication.restart(cluster);
    },
  });
  const applications = createApplications({
    objects,
    access,
    clusters,
    rules,
    clock,
    settings: asked,
  });
  const leaving = createLeaving({
    objects,
    access,
    clusters,
    rules,
    clock,
    settings: asked,
    store: createLeavingStore(queries),
  });
  undo.use(letApplicationsGo({ objects, clusters, leases, clock, log, store: createLeavingStore(db) }));
  const askedStatuses = createGitopsStatusStore({ db: queries, changes });
  const statuses = createGitopsStatuses({ access, clusters, clock, settings: asked, store: askedStatuses });
  const namespace = sharing.argoNamespace;
  const argoObjects = createArgoObjects({ objects, namespace, isOwn: client === undefined, access });
  const opened = undo.move();
  return {
    routes: [
      createGitopsSettingsRoutes(settings),
      createGitopsStatusRoutes(statuses),
      createApplicationRoutes(applications),
      createLeavingRoutes(leaving),
      createArgoObjectRoutes(argoObjects),
    ],
    findApplication: (space, name) =>
      objects.get({ kind: "applications", namespace: space, name }, AbortSignal.timeout(findTimeoutMs)),
    totals: reporter.totals,
    async countApplications(cluster) {
      const { flows } = (await askedStatuses.list([cluster])).get(cluster) ?? {};
      return flows?.find(({ flow }) => flow === "applications")?.objects ?? 0;
    },
    addServices: createGitopsRpc(replication),
    stop: () => replication[Symbol.dispose](),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const findTimeoutMs = 5_000;

async function openClient(kubeconfig: string, env: Readonly<Record<string, string | undefined>>): Promise<KubeClient> {
  return createKubeClient({ access: await openAccess(kubeconfig, env) });
}

async function openAccess(path: string, env: Readonly<Record<string, string | undefined>>): Promise<ClusterAccess> {
  try {
    return path === "in-cluster" ? await inClusterConfig({ env }) : await loadKubeconfig({ path, env });
  } catch (error) {
    const reason = isFairleadError(error) ? error.message : String(error);
    throw gitopsErrors.GITOPS_ARGO_UNREADABLE({ path, reason, cause: error });
  }
}
