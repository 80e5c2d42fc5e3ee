// A cluster as an upgrade looks at it: live objects, Helm's record of a release and Argo CD's applications, all by the
// API behind the hub and with the rights of who asks. Values of releases pass through here and are written nowhere.
import type { ClusterObject } from "@fairlead/doctor";
import { Fields } from "@fairlead/kernel";
import {
  type ApiResource,
  apiVersionOf,
  discoverApis,
  getObject,
  type KubeClient,
  type KubeMetadata,
  kubeErrors,
  listMetadata,
  type Release,
  readRelease,
  resourceKey,
  unpackRelease,
} from "@fairlead/kube";
import type { Capabilities } from "../../charts/index.ts";
import { openKubeClient } from "../../cluster-client/index.ts";
import { reachCluster } from "../../connection/index.ts";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";

export interface ClusterView extends AsyncDisposable {
  readonly cluster: string;
  readonly client: KubeClient;
  readonly capabilities: Capabilities;
  /** `deployments.apps argocd/argocd-server` */
  nameOf(object: ClusterObject, namespace: string): string;
  /** An object by what a rendering says of it; `hidden` when it may not be read. */
  look(object: ClusterObject, namespace: string): Promise<Look>;
  /** Undefined when Helm has none of that name. */
  readRelease(place: ReleasePlace): Promise<ReleaseThere | undefined>;
  /** Oldest first. */
  listRevisions(place: ReleasePlace): Promise<readonly Revision[]>;
  /** Those that a workload's selector means; none where they may not be read. */
  listPods(workload: ClusterObject): Promise<readonly unknown[]>;
  getApplication(place: { readonly namespace: string; readonly name: string }): Promise<ClusterObject | undefined>;
}

export type Look = { readonly is: "there"; readonly object: ClusterObject } | { readonly is: "absent" | "hidden" };

export interface ReleasePlace {
  readonly namespace: string;
  readonly release: string;
}

export interface ReleaseThere {
  /** The revision that is deployed, or the last one where none is. */
  readonly release: Release;
  /** The last revision ended well. */
  readonly isSettled: boolean;
  readonly revisions: number;
}

export async function openClusterView(context: CommandContext, cluster: string): Promise<ClusterView> {
  const { hubContext, contextRef, signal, terminal } = context;
  const access = reachCluster({ cluster, hubContext: await hubContext() }, terminal, contextRef.file);
  await using undo = new AsyncDisposableStack();
  const client = undo.use(openKubeClient({ access, trace: terminal.trace }));
  const { resources } = await discoverApis({ client, signal });
  const version = await client.request<{ readonly gitVersion?: string }>({ path: "/version", signal });
  const kinds = new Map(resources.map((resource) => [`${resource.group}/${resource.kind}`, resource]));
  const kindOf = ({ apiVersion = "", kind = "" }: ClusterObject): ApiResource | undefined => {
    const [group, of] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const resource = kinds.get(`${group}/${kind}`);
    return resource && of !== undefined ? { ...resource, version: of } : undefined;
  };
  const owned = undo.move();
  return {
    cluster,
    client,
    capabilities: {
      ...(version.gitVersion !== undefined && { version: version.gitVersion }),
      apiVersions: [
        ...new Set(resources.flatMap((each) => [apiVersionOf(each), `${apiVersionOf(each)}/${each.kind}`])),
      ],
    },
    nameOf(object, namespace) {
      const resource = kindOf(object);
      const place = resource?.namespaced === false ? "" : `${object.metadata.namespace ?? namespace}/`;
      return `${resource ? resourceKey(resource) : object.kind} ${place}${object.metadata.name}`;
    },
    async look(object, namespace) {
      const resource = kindOf(object);
      // A kind that isn't served yet has no objects.
      if (!resource) return { is: "absent" };
      const place = resource.namespaced ? { namespace: object.metadata.namespace ?? namespace } : {};
      try {
        const found = await getObject({ client, resource, ...place, name: object.metadata.name, signal });
        return found ? { is: "there", object: found as unknown as ClusterObject } : { is: "absent" };
      } catch (thrown) {
        if (kubeErrors.is(thrown, "KUBE_FORBIDDEN")) return { is: "hidden" };
        if (kubeErrors.is(thrown, "KUBE_NOT_FOUND")) return { is: "absent" };
        throw thrown;
      }
    },
    readRelease: (place) => readReleaseOf({ client, place, cluster, signal }),
    listRevisions: (place) => listRevisions({ client, place, signal }),
    listPods: (workload) => listPodsOf(client, workload, signal),
    async getApplication({ namespace, name }) {
      const resource = { group: "argoproj.io", version: "v1alpha1", resource: "applications", kind: "Application" };
      const found = await getObject({ client, resource, namespace, name, signal });
      return found as ClusterObject | undefined;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Helm keeps each revision in a Secret of the release's namespace, as `helm get values` reads it. */
async function readReleaseOf(options: {
  readonly client: KubeClient;
  readonly place: ReleasePlace;
  readonly cluster: string;
  readonly signal: AbortSignal;
}): Promise<ReleaseThere | undefined> {
  const { client, place, cluster, signal } = options;
  const { namespace, release } = place;
  try {
    const revisions = await listRevisions(options);
    const latest = revisions.at(-1);
    const chosen = revisions.findLast(({ status }) => status === "deployed") ?? latest;
    if (!latest || !chosen) return undefined;
    const secret = await getObject({ client, resource: secrets, namespace, name: chosen.secret, signal });
    const found = secret && readRelease(await unpackRelease(secret));
    return found && { release: found, isSettled: latest.status === "deployed", revisions: revisions.length };
  } catch (thrown) {
    if (!kubeErrors.is(thrown, "KUBE_FORBIDDEN")) throw thrown;
    throw cliErrors.CLI_ADDON_RELEASE_HIDDEN({ cluster, namespace, release, cause: thrown });
  }
}

async function listPodsOf(
  client: KubeClient,
  workload: ClusterObject,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const labels = new Fields(workload).at("spec", "selector", "matchLabels").entries();
  const labelSelector = labels.map(([name, value]) => `${name}=${value.text() ?? ""}`).join(",");
  const query = new URLSearchParams({ labelSelector, limit: String(mostPods) });
  const path = `/api/v1/namespaces/${encodeURIComponent(workload.metadata.namespace ?? "")}/pods?${query}`;
  try {
    return (await client.request<{ readonly items?: readonly unknown[] }>({ path, signal })).items ?? [];
  } catch (thrown) {
    if (kubeErrors.is(thrown, "KUBE_FORBIDDEN")) return [];
    throw thrown;
  }
}

/** Oldest first. */
async function listRevisions(options: {
  readonly client: KubeClient;
  readonly place: ReleasePlace;
  readonly signal: AbortSignal;
}): Promise<readonly Revision[]> {
  const { client, place, signal } = options;
  const { namespace, release } = place;
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await listMetadata({
    client,
    resource: secrets,
    namespace,
    labelSelector,
    limit: mostRevisions,
    signal,
  });
  return items.map(toRevision).sort((one, other) => one.number - other.number);
}

/** A Secret in which Helm keeps one. */
export interface Revision {
  readonly secret: string;
  readonly uid: string;
  readonly number: number;
  readonly status: string;
}

function toRevision({ name, uid, labels = {} }: KubeMetadata): Revision {
  return { secret: name, uid, number: Number(labels["version"] ?? 0), status: labels["status"] ?? "unknown" };
}

const secrets = { group: "", version: "v1", resource: "secrets", kind: "Secret" };
/** Helm keeps ten unless told otherwise. */
const mostRevisions = 500;
/** Enough to find one that says why. */
const mostPods = 50;
