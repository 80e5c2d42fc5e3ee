// A cluster as Argo CD on the hub knows it: a Secret in its namespace. Pure.
import type { KubeObject } from "@fairlead/kube";
import { argoCaller } from "@fairlead/protocol";

/** The parts of a Secret that Argo CD reads, and those by which the hub knows the Secrets that it made. */
export interface ClusterSecret {
  readonly cluster: string;
  readonly server: string;
  readonly token: string;
  /** Undefined: the hub shows people a certificate that Argo CD trusts by itself. */
  readonly caPem: string | undefined;
  /** By which ApplicationSets choose clusters. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Somebody else's say only which cluster they are for. */
export type SeenSecret =
  | { readonly is: "own"; readonly cluster: string; readonly content: ClusterSecret; readonly object: KubeObject }
  | { readonly is: "foreign"; readonly secretName: string; readonly name: string; readonly server: string };

export function toSecretName(cluster: string): string {
  return `fairlead-cluster-${cluster}`;
}

/** As the API takes it. */
export function makeSecret(content: ClusterSecret, hubUid: string): object {
  const { cluster, server, token, caPem, labels } = content;
  const config = {
    bearerToken: token,
    tlsClientConfig: caPem === undefined ? {} : { caData: Buffer.from(caPem).toString("base64") },
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    metadata: {
      name: toSecretName(cluster),
      labels: { ...labels, ...fixedLabels, [clusterLabel]: cluster },
      annotations: { [ownerAnnotation]: hubUid, [skipAnnotation]: "true" },
    },
    data: { name: encode(cluster), server: encode(server), config: encode(JSON.stringify(config)) },
  };
}

export function readSecret(object: KubeObject, hubUid: string): SeenSecret {
  const { name: secretName, annotations = {} } = object.metadata;
  const { [clusterLabel]: cluster = "", ...labels } = object.metadata.labels ?? {};
  const data = (object["data"] ?? {}) as Readonly<Record<string, string>>;
  const [name, server] = [decode(data["name"]), decode(data["server"])];
  const isOwn = annotations[ownerAnnotation] === hubUid && secretName === toSecretName(cluster);
  if (!isOwn) return { is: "foreign", secretName, name, server };
  const config = readConfig(decode(data["config"]));
  return { is: "own", cluster, content: { cluster, server, ...config, labels: withoutFixed(labels) }, object };
}

/** A cluster's own labels and its mode. Those that mean something to Argo CD or to the hub can't come from a cluster. */
export function toSecretLabels(own: Readonly<Record<string, string>>, mode: string): Record<string, string> {
  const free = Object.entries(own).filter(([key]) => !reserved.test(key));
  return { ...Object.fromEntries(free), [modeLabel]: mode };
}

function withoutFixed(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([key, value]) => fixedLabels[key as keyof typeof fixedLabels] !== value),
  );
}

/** A config that can't be read counts as empty, so that it is written anew. */
function readConfig(text: string): Pick<ClusterSecret, "token" | "caPem"> {
  try {
    const { bearerToken, tlsClientConfig } = JSON.parse(text) as Config;
    const caData = tlsClientConfig?.caData;
    return { token: bearerToken ?? "", caPem: caData === undefined ? undefined : decode(caData) };
  } catch {
    return { token: "", caPem: undefined };
  }
}

interface Config {
  readonly bearerToken?: string;
  readonly tlsClientConfig?: { readonly caData?: string };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

function decode(base64 = ""): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

const typeLabel = "argocd.argoproj.io/secret-type";
const fixedLabels = { [typeLabel]: "cluster", "app.kubernetes.io/managed-by": argoCaller.robot };
const reserved = /^([a-z0-9.-]*\.)?(argoproj\.io|argoproj-labs\.io|fairlead\.dev|kubernetes\.io|k8s\.io)\//;
const clusterLabel = "fairlead.dev/cluster";
const modeLabel = "fairlead.dev/gitops-mode";
const ownerAnnotation = "fairlead.dev/hub-uid";
/** An application controller on the hub leaves such a cluster's applications alone: Argo CD in the cluster has them. */
const skipAnnotation = "argocd.argoproj.io/skip-reconcile";

/** Selects all Secrets by which Argo CD finds clusters, also those that people made. */
export const clusterSecretSelector: string = `${typeLabel}=cluster`;
