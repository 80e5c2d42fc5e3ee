// A cluster as Argo CD on the hub knows it: a Secret in its namespace. Pure.
import type { KubeObject } from "@fairlead/kube";
import { argoCaller } from "@fairlead/protocol";

/** What Argo CD reads there, and by what the hub knows the Secrets that it made. */
export interface ClusterSecret {
  readonly cluster: string;
  readonly server: string;
  readonly token: string;
  /** Undefined: the hub shows people a certificate that Argo CD trusts by itself. */
  readonly caPem: string | undefined;
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
  const { cluster, server, token, caPem } = content;
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
      labels: { [typeLabel]: "cluster", "app.kubernetes.io/managed-by": argoCaller.robot, [clusterLabel]: cluster },
      annotations: { [ownerAnnotation]: hubUid, [skipAnnotation]: "true" },
    },
    data: { name: encode(cluster), server: encode(server), config: encode(JSON.stringify(config)) },
  };
}

export function readSecret(object: KubeObject, hubUid: string): SeenSecret {
  const { name: secretName, labels = {}, annotations = {} } = object.metadata;
  const cluster = labels[clusterLabel] ?? "";
  const data = (object["data"] ?? {}) as Readonly<Record<string, string>>;
  const [name, server] = [decode(data["name"]), decode(data["server"])];
  const isOwn = annotations[ownerAnnotation] === hubUid && secretName === toSecretName(cluster);
  if (!isOwn) return { is: "foreign", secretName, name, server };
  return { is: "own", cluster, content: { cluster, server, ...readConfig(decode(data["config"])) }, object };
}

/** What can't be read is written anew. */
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
const clusterLabel = "fairlead.dev/cluster";
const ownerAnnotation = "fairlead.dev/hub-uid";
/** An application controller on the hub leaves such a cluster's applications alone: Argo CD in the cluster has them. */
const skipAnnotation = "argocd.argoproj.io/skip-reconcile";

/** All by which Argo CD finds clusters, whoever made them. */
export const clusterSecretSelector: string = `${typeLabel}=cluster`;
