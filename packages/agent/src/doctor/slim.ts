// Keeps objects for examinations as JSON without needless fields: a text takes a fraction of an object's memory. A
// Buffer would be worse: small ones lie in blocks that Node shares out, and each would keep its whole block.
import type { KubeObject } from "@fairlead/kube";

/** Objects that differ only in fields that no check looks at give the same text. */
export function toSlim(key: string, object: KubeObject): string {
  const slim = slimmers[key]?.(object) ?? object;
  const { annotations, ownerReferences, ...metadata } = slim.metadata;
  return JSON.stringify({
    ...slim,
    metadata: {
      ...metadata,
      ...(annotations && { annotations: { ...annotations, [lastApplied]: undefined } }),
      ...(ownerReferences && { ownerReferences: ownerReferences.map(({ kind, name }) => ({ kind, name })) }),
      resourceVersion: undefined,
      managedFields: undefined,
    },
  });
}

type Members = Readonly<Record<string, unknown>>;

const slimmers: Readonly<Record<string, (object: KubeObject) => KubeObject>> = {
  pods: (pod) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...pick(pod.metadata as unknown as Members, [
        "name",
        "namespace",
        "uid",
        "labels",
        "ownerReferences",
        "deletionTimestamp",
      ]),
    } as unknown as KubeObject["metadata"],
    spec: {
      ...pick(pod["spec"], [
        "nodeName",
        "nodeSelector",
        "affinity",
        "tolerations",
        "priorityClassName",
        "serviceAccountName",
        "overhead",
        "resources",
      ]),
      volumes: listClaims(pod["spec"]),
      containers: mapItems(pod["spec"], "containers", ["name", "image", "resources", "ports"]),
      initContainers: mapItems(pod["spec"], "initContainers", ["name", "image", "resources", "restartPolicy"]),
    },
    status: {
      ...pick(pod["status"], ["phase", "reason"]),
      containerStatuses: mapItems(pod["status"], "containerStatuses", ["name", "image", "ready"]),
    },
  }),

  nodes: (node) => ({
    ...node,
    status: {
      ...(node["status"] as Members | undefined),
      images: undefined,
      conditions: mapItems(node["status"], "conditions", ["type", "status", "reason", "message"]),
    },
  }),

  "customresourcedefinitions.apiextensions.k8s.io": (definition) => ({
    ...definition,
    spec: {
      ...(definition["spec"] as Members | undefined),
      versions: mapItems(definition["spec"], "versions", ["name", "served", "storage", "deprecated"]),
      conversion: undefined,
      validation: undefined,
    },
  }),
};

/** Undefined where it mounts none, as nearly all pods do. */
function listClaims(spec: unknown): readonly Members[] | undefined {
  const claims = mapItems(spec, "volumes", ["persistentVolumeClaim"])?.filter(
    (volume) => "persistentVolumeClaim" in volume,
  );
  return claims?.length === 0 ? undefined : claims;
}

function pick(from: unknown, names: readonly string[]): Members {
  if (typeof from !== "object" || from === null) return {};
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, (from as Members)[name]]] : [])));
}

function mapItems(from: unknown, list: string, names: readonly string[]): readonly Members[] | undefined {
  const items = (from as Members | undefined)?.[list];
  return Array.isArray(items) ? items.map((item: unknown) => pick(item, names)) : undefined;
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
