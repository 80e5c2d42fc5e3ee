// Answers for Argo CD's list of clusters: what the cluster's own Argo CD says while its agent is there, and otherwise what
// the hub knows. A cluster that doesn't answer costs its own line a few seconds, and no other one's.
import { gunzipSync, gzipSync } from "node:zlib";
import type { Cluster, GitopsSettings } from "@fairlead/contract";
import { type Clock, isFairleadError } from "@fairlead/kernel";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { LinkList } from "../../../reach/links/index.ts";
import { type ClusterInfoKey, parseClusterInfoKey } from "./cluster-info-key.ts";
import type { ClusterTrees } from "./cluster-trees.ts";
import { type ClusterConnection, describeCluster, type InfoAnswer, readClusterInfo } from "./describe-cluster.ts";

export interface ClusterInfos {
  /** The value that Argo CD finds under its key. Undefined: it is of none of our clusters. */
  find(key: Buffer, signal: AbortSignal): Promise<Buffer | undefined>;
}

export function createClusterInfos(options: {
  /** By which Argo CD knows clusters. Undefined: it knows none of ours. */
  readonly publicUrl: string | undefined;
  readonly clusters: Pick<Clusters, "exists" | "get">;
  readonly readSettings: (cluster: string) => Promise<Pick<GitopsSettings, "mode">>;
  readonly countApplications: (cluster: string) => Promise<number>;
  readonly connections: LinkList["connections"];
  readonly trees: Pick<ClusterTrees, "readInfo">;
  readonly clock: Clock;
}): ClusterInfos {
  const { publicUrl, clusters, readSettings, countApplications, connections, trees, clock } = options;
  return {
    async find(bytes, signal) {
      const key = publicUrl === undefined ? undefined : parseClusterInfoKey(bytes, publicUrl);
      if (!key || !clusters.exists(key.cluster)) return undefined;
      const { cluster, isCompressed } = key;
      if ((await readSettings(cluster)).mode === "off") return undefined;
      const [connection, applications] = await Promise.all([connect(key, signal), countApplications(cluster)]);
      const { kubernetesVersion } = clusters.get(cluster);
      const text = `${JSON.stringify(describeCluster({ connection, kubernetesVersion, applications }))}\n`;
      return isCompressed ? gzipSync(text) : Buffer.from(text);
    },
  };

  async function connect(key: ClusterInfoKey, signal: AbortSignal): Promise<ClusterConnection> {
    const { cluster } = key;
    const sinceMs = Math.min(...connections(cluster, "gitops").map(({ connectedAt }) => connectedAt));
    const answer = Number.isFinite(sinceMs) ? await ask(key, signal) : undefined;
    const isHere = answer?.is === "said" || connections(cluster, "gitops").length > 0;
    return answer && isHere ? { is: "here", sinceMs, answer } : explainAbsence(clusters.get(cluster));
  }

  async function ask(key: ClusterInfoKey, signal: AbortSignal): Promise<InfoAnswer> {
    const { cluster, cacheVersion, isCompressed } = key;
    const silence = new AbortController();
    const cancel = clock.after(silentMs, () => silence.abort());
    try {
      const value = await trees.readInfo(cluster, key, AbortSignal.any([signal, silence.signal]));
      if (!value) return { is: "untold", why: `Its Argo CD hasn't reported it in cache version ${cacheVersion}.` };
      const text = isCompressed ? gunzipSync(value, { maxOutputLength: mostBytes }) : Buffer.from(value);
      return { is: "said", info: readClusterInfo(text.toString("utf8")) };
    } catch (error) {
      signal.throwIfAborted();
      if (silence.signal.aborted) return { is: "silent" };
      if (isFairleadError(error)) return { is: "untold", why: error.message };
      return { is: "untold", why: "Its Argo CD's report of it is unreadable." };
    } finally {
      cancel();
    }
  }
}

function explainAbsence({ state, stateSince, refusal, linkedRoles = [] }: Cluster): ClusterConnection {
  const sinceMs = Date.parse(stateSince);
  const away = (why: string): ClusterConnection => ({ is: "away", sinceMs, why });
  if (refusal) return away(refusal.message);
  switch (state) {
    case "offline":
      return away(`The agent is away since ${stateSince}.`);
    case "never-connected":
      return away("No agent of the cluster has called yet.");
    case "revoked":
      return away(`The cluster is revoked since ${stateSince}.`);
    case "connected":
    case "stale":
      return away(
        linkedRoles.includes("gitops")
          ? "The agent's connection is lost, and may be back in a moment."
          : "No agent with the role gitops is connected.",
      );
    default:
      return state satisfies never;
  }
}

/** Unpacked. */
const mostBytes = 8 * 1_024 * 1_024;
const silentMs = 3_000;
