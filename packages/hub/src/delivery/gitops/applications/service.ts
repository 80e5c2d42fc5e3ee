// Argo CD applications as people ask for them, whatever keeps them on the hub.
import type {
  ApplicationDetail,
  ApplicationHistory,
  ApplicationList,
  ApplicationListQuery,
  ApplicationName,
  GitopsSettings,
  PutApplicationRequest,
  RefreshApplicationRequest,
  RollbackApplicationRequest,
  SyncApplicationRequest,
} from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import type { Access, Principal } from "../../../people/access/index.ts";
import { parseLabelSelector } from "../../../picture/objects/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { type NamespaceRules, ownerOf } from "../destinations/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsSettingsStore } from "../settings/index.ts";
import type { HubObjects, HubWriteResult } from "../types.ts";
import {
  type AskedBy,
  newApplication,
  withAsked,
  withRefresh,
  withRollback,
  withSync,
  withTermination,
} from "./change-application.ts";
import { listOnce } from "./list-once.ts";
import { listPage } from "./list-page.ts";
import { type ShownIn, toApplicationDetail, toApplicationHistory } from "./show-application.ts";

/** All throw ACCESS_DENIED; those about one application GITOPS_CLUSTER_NOT_FOUND and GITOPS_OFF as well. */
export interface Applications {
  list(principal: Principal, query: ApplicationListQuery): Promise<ApplicationList>;
  get(principal: Principal, of: ApplicationName): Promise<ApplicationDetail>;
  history(principal: Principal, of: ApplicationName): Promise<ApplicationHistory>;
  put(principal: Principal, of: ApplicationName, asked: PutApplicationRequest): Promise<ApplicationDetail>;
  remove(principal: Principal, of: ApplicationName): Promise<void>;
  sync(principal: Principal, of: ApplicationName, asked: SyncApplicationRequest): Promise<ApplicationDetail>;
  rollback(principal: Principal, of: ApplicationName, asked: RollbackApplicationRequest): Promise<ApplicationDetail>;
  refresh(principal: Principal, of: ApplicationName, asked: RefreshApplicationRequest): Promise<ApplicationDetail>;
  terminate(principal: Principal, of: ApplicationName): Promise<ApplicationDetail>;
}

export function createApplications(options: {
  readonly objects: HubObjects;
  readonly settings: Pick<GitopsSettingsStore, "find" | "list">;
  readonly access: Pick<Access, "require" | "may">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  /** The rules for namespaces of clusters with the mapping by destination. */
  readonly rules: NamespaceRules;
  readonly clock: Clock;
}): Applications {
  const { objects, settings, access, clusters, rules, clock } = options;
  return {
    async list(principal, query) {
      const { cluster: only, labelSelector = "" } = query;
      if (only !== undefined) access.require(principal, { verb: "list", resource, cluster: only });
      parseLabelSelector(labelSelector);
      const exchanging = (await settings.list()).filter(({ mode }) => mode !== "off");
      const names = new Set(exchanging.map(({ cluster }) => cluster));
      const rows = exchanging.filter(
        ({ cluster }) =>
          (only === undefined || cluster === only) && access.may(principal, { verb: "list", resource, cluster }),
      );
      const places = new Map(rows.map((row) => [row.cluster, toPlace(row, (each) => names.has(each))]));
      let everywhere: Promise<readonly GitopsObject[]> | undefined;
      return await listPage({
        clusters: [...places.values()],
        query,
        async read({ cluster }) {
          const place = places.get(cluster);
          if (place === undefined) return [];
          if (!place.isByDestination) return await listOnce(objects, { kind, namespace: cluster, labelSelector });
          everywhere ??= listOnce(objects, { kind, namespace: undefined, labelSelector });
          return (await everywhere).filter((object) => belongs(object, place));
        },
      });
    },

    async get(principal, of) {
      const place = await enter(principal, "get", of);
      return toApplicationDetail(await find(of, place), place);
    },

    async history(principal, of) {
      const place = await enter(principal, "get", of);
      return { items: toApplicationHistory(await find(of, place)) };
    },

    async put(principal, of, asked) {
      const { cluster } = of;
      if (!access.may(principal, { verb: "create", resource, cluster }))
        access.require(principal, { verb: "update", resource, cluster });
      const place = await meet(of);
      requireManaged(place);
      return await again(of, async () => {
        const there = await read(of);
        access.require(principal, { verb: there ? "update" : "create", resource, cluster });
        if (there !== undefined && !belongs(there, place)) throw gitopsErrors.GITOPS_APPLICATION_ELSEWHERE({ cluster });
        const object = there ? withAsked(there, asked) : newApplication(of, asked);
        if (!belongs(object, place)) throw gitopsErrors.GITOPS_APPLICATION_ELSEWHERE({ cluster });
        return { place, result: await objects.writeContent({ kind, object, fence: undefined, signal: timeOut() }) };
      });
    },

    async remove(principal, of) {
      const place = await enter(principal, "delete", of);
      requireManaged(place);
      const { uid = "" } = (await find(of, place)).metadata;
      const { namespace, name } = of;
      const result = await objects.remove({ kind, namespace, name, uid, fence: undefined, signal: timeOut() });
      if (result.is === "refused") throw refused(name, result);
    },

    sync: (principal, of, asked) => request(principal, of, (there, by) => withSync(there, asked, by)),
    rollback: (principal, of, asked) => request(principal, of, (there, by) => withRollback(there, asked, by)),
    refresh: (principal, of, { hard = false }) => request(principal, of, (there) => withRefresh(there, hard)),
    terminate: (principal, of) => request(principal, of, withTermination),
  };

  async function request(
    principal: Principal,
    of: ApplicationName,
    change: (there: GitopsObject, by: AskedBy) => GitopsObject,
  ): Promise<ApplicationDetail> {
    const place = await enter(principal, "sync", of);
    return await again(of, async () => {
      const object = change(await find(of, place), { person: principal.name, at: new Date(clock.now()) });
      return { place, result: await objects.writeStatus({ kind, object, fence: undefined, signal: timeOut() }) };
    });
  }

  /** Decides anew when somebody else wrote first, as the exchange with the cluster does all the time. */
  async function again(
    { name }: ApplicationName,
    attempt: () => Promise<{ readonly place: ClusterPlace; readonly result: HubWriteResult }>,
  ): Promise<ApplicationDetail> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { place, result } = await attempt();
      if (result.is === "written" && result.object) return toApplicationDetail(result.object, place);
      if (result.is === "refused") throw refused(name, result);
    }
    throw gitopsErrors.GITOPS_APPLICATION_CONFLICT({ name });
  }

  async function enter(principal: Principal, verb: string, of: ApplicationName): Promise<ClusterPlace> {
    access.require(principal, { verb, resource, cluster: of.cluster });
    return await meet(of);
  }

  async function meet({ cluster, namespace }: ApplicationName): Promise<ClusterPlace> {
    await clusters.meet(cluster);
    if (!clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
    const row = await settings.find(cluster);
    if (row === undefined || row.mode === "off") throw gitopsErrors.GITOPS_OFF({ cluster });
    const other = row.mapping === "destination" && namespace !== cluster ? await settings.find(namespace) : undefined;
    return toPlace(row, (each) => each === other?.cluster && other.mode !== "off");
  }

  /** Throws GITOPS_APPLICATION_NOT_FOUND. */
  async function find(of: ApplicationName, place: ClusterPlace): Promise<GitopsObject> {
    const found = await read(of);
    if (found === undefined || !belongs(found, place))
      throw gitopsErrors.GITOPS_APPLICATION_NOT_FOUND({ name: of.name, cluster: of.cluster });
    return found;
  }

  /** Which cluster an object on the hub is of is told by its namespace, or by where it is to be deployed. */
  function belongs(object: GitopsObject, { cluster, isByDestination, exchanges }: ClusterPlace): boolean {
    return isByDestination ? ownerOf(object, rules, exchanges) === cluster : object.metadata.namespace === cluster;
  }

  function read({ namespace, name }: ApplicationName): Promise<GitopsObject | undefined> {
    return objects.get({ kind, namespace, name }, timeOut());
  }
}

function toPlace(
  { cluster, mode, mapping }: Pick<GitopsSettings, "cluster" | "mode" | "mapping">,
  exchanges: ClusterPlace["exchanges"],
): ClusterPlace {
  return { cluster, mode, isByDestination: mapping === "destination", exchanges };
}

function requireManaged({ cluster, mode }: ClusterPlace): void {
  if (mode === "autonomous") throw gitopsErrors.GITOPS_CLUSTER_AUTONOMOUS({ cluster });
}

function refused(name: string, { refusal }: Extract<HubWriteResult, { readonly is: "refused" }>): Error {
  return gitopsErrors.GITOPS_APPLICATION_REFUSED({ name, reason: refusal.reason, message: refusal.message });
}

function timeOut(): AbortSignal {
  return AbortSignal.timeout(20_000);
}

interface ClusterPlace extends ShownIn {
  readonly isByDestination: boolean;
  /** Whether a cluster exchanges applications. */
  readonly exchanges: (cluster: string) => boolean;
}

const kind = "applications";
const resource = "clusters/applications";
const maxTries = 5;
