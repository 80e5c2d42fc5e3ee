/** An object as the API server or a YAML dump gives it. Its fields are read by `Fields`, never trusted. */
export interface ClusterObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Names an object in evidence: `deployments.apps argocd/argocd-server`, or `nodes ip-10-0-0-1`. */
export interface ObjectRef {
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export function refTo(resource: string, { metadata }: ClusterObject): ObjectRef {
  return { resource, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }), name: metadata.name };
}

export function formatRef({ resource, namespace, name }: ObjectRef): string {
  return `${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
