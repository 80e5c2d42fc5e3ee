// Keeps Argo CD on the hub to what belongs to resources that Argo CD tracks: these, and what they own in turn, such as
// pods. All that is read for it is read with the caller's own rights.
import { isFairleadError } from "@fairlead/kernel";
import { type KubeObject, type KubeOwnerReference, kubeErrors, type RequestAttributes } from "@fairlead/kube";
import { readArgoRequest } from "./argo-request.ts";
import { policyErrors } from "./errors.ts";
import { isTracked } from "./is-tracked.ts";

export interface TrackedReach {
  /** Throws POLICY_UNTRACKED, and what went wrong when the objects couldn't be read. */
  require(request: ReachRequest): Promise<void>;
}

export interface ReachRequest {
  readonly attributes: RequestAttributes;
  /** With the query. */
  readonly path: string;
  /** Gets JSON in the caller's name. Throws KUBE_* errors. */
  readonly read: (path: string) => Promise<unknown>;
}

export function createTrackedReach(trackingLabel: () => string | undefined): TrackedReach {
  return {
    async require({ attributes, path, read }) {
      const request = readArgoRequest(attributes, path);
      switch (request.is) {
        case "open":
          return;
        case "refused":
          throw untracked(request.reason);
        case "object":
          return requireTracked(await readObject(request, read), read);
        case "events":
          return requireTracked(await readInvolved(request.path, read), read);
        default:
          request satisfies never;
      }
    },
  };

  /** Goes up the owners until one is tracked. Nothing can be told about an object that isn't there. */
  async function requireTracked(found: KubeObject | undefined, read: ReachRequest["read"]): Promise<void> {
    let object = found;
    for (let depth = 0; object !== undefined && depth < maxDepth; depth += 1) {
      if (isTracked(object, trackingLabel())) return;
      const { ownerReferences = [], namespace } = object.metadata;
      const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
      if (owner === undefined) throw untracked(`${object.kind} ${object.metadata.name} isn't tracked, nor is an owner`);
      object = await readReferred({ ...owner, namespace }, read);
      if (object?.metadata.uid !== owner.uid) throw untracked(`its owner ${owner.kind} ${owner.name} is gone`);
    }
    if (object !== undefined) throw untracked(`it is more than ${maxDepth} owners away from what is tracked`);
  }
}

/** Undefined where the request reads what isn't there: the API server says so itself. */
async function readObject(
  { path, isRead }: { readonly path: string; readonly isRead: boolean },
  read: ReachRequest["read"],
): Promise<KubeObject | undefined> {
  const object = await get(path, read);
  if (object === undefined && !isRead) throw untracked("there is no such object");
  return object;
}

/** The object that the events are about. Undefined: there are none. */
async function readInvolved(path: string, read: ReachRequest["read"]): Promise<KubeObject | undefined> {
  const events = (await get(path, read)) as { readonly items?: readonly { readonly involvedObject?: Referred }[] };
  const involved = events?.items?.[0]?.involvedObject;
  if (events?.items?.length === 0) return undefined;
  const object = involved && (await readReferred(involved, read));
  if (object === undefined || object.metadata.uid !== involved?.uid)
    throw untracked("what the events are about is gone");
  return object;
}

/** The kind's name in paths is the API server's to say. */
async function readReferred(referred: Referred, read: ReachRequest["read"]): Promise<KubeObject | undefined> {
  const { apiVersion, kind, name, namespace } = referred;
  if (!/^[a-z0-9.-]+(?:\/[a-z0-9]+)?$/.test(apiVersion)) throw untracked("its owner can't be read");
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const catalogue = (await get(root, read)) as { readonly resources?: readonly Served[] } | undefined;
  const served = catalogue?.resources?.find((one) => one.kind === kind && !one.name.includes("/"));
  if (served === undefined || (apiVersion === "v1" && served.name === "secrets"))
    throw untracked(`its owner ${kind} ${name} can't be read`);
  const place = served.namespaced ? `/namespaces/${encodeURIComponent(namespace ?? "")}` : "";
  return await get(`${root}${place}/${served.name}/${encodeURIComponent(name)}`, read);
}

async function get(path: string, read: ReachRequest["read"]): Promise<KubeObject | undefined> {
  try {
    return (await read(path)) as KubeObject;
  } catch (error) {
    if (!isFairleadError(error)) throw error;
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    if (kubeErrors.is(error, "KUBE_FORBIDDEN")) throw untracked("its rights in the cluster don't reach so far");
    throw error;
  }
}

function untracked(reason: string): Error {
  return policyErrors.POLICY_UNTRACKED({ reason });
}

type Referred = Pick<KubeOwnerReference, "apiVersion" | "kind" | "name" | "uid"> & {
  readonly namespace?: string | undefined;
};

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Deployment, ReplicaSet and Pod are two steps; operators add one or two. */
const maxDepth = 6;
