import { isRecord } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";

/** Parts of some kinds that are large, change often, and tell nothing that a picture of a cluster needs. */
export function leaveOut(key: string, object: KubeObject): KubeObject {
  const slim = slimmers[key];
  return slim ? slim(object) : object;
}

const slimmers: Readonly<Record<string, (object: KubeObject) => KubeObject>> = {
  /** The images on each node: up to 50, in each status that the node sends. */
  nodes: (object) => withMember(object, "status", (status) => ({ ...status, images: undefined })),

  /** Schemas: a hundred kilobytes each are usual. The rest of a version stays, with its printer columns. */
  "customresourcedefinitions.apiextensions.k8s.io": (object) =>
    withMember(object, "spec", (spec) => ({
      ...spec,
      validation: undefined,
      versions: mapItems(spec["versions"], (version) => ({ ...version, schema: undefined })),
    })),

  /** A summary: the addresses, and the conditions of those that aren't ready. */
  "endpointslices.discovery.k8s.io": (object) => ({
    ...object,
    endpoints: mapItems(object["endpoints"], slimEndpoint),
  }),
};

function slimEndpoint(endpoint: Members): Members {
  const { addresses, conditions } = endpoint;
  // A condition that isn't there means ready.
  const isReady = !isRecord(conditions) || conditions["ready"] !== false;
  return isReady ? { addresses } : { addresses, conditions };
}

type Members = Readonly<Record<string, unknown>>;

function withMember(object: KubeObject, name: string, change: (member: Members) => Members): KubeObject {
  const member = object[name];
  return isRecord(member) ? { ...object, [name]: change(member) } : object;
}

function mapItems(list: unknown, change: (item: Members) => Members): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isRecord(item) ? change(item) : item)) : list;
}
