// A cluster's own API behind the hub, in the caller's name. Its answers are Kubernetes', and no part of this contract.
import { z } from "zod";
import type { CallOptions, Send, SendForBytes } from "./send.ts";

export interface ClusterApiCalls {
  /** The JSON that a GET is answered with. Throws API_CLUSTER_REFUSED where the cluster refuses. */
  readFromCluster(cluster: string, path: string, options?: CallOptions): Promise<unknown>;
  /** The same as bytes, as they come. */
  streamFromCluster(cluster: string, path: string, options?: CallOptions): AsyncIterable<Uint8Array>;
}

export function createClusterApiCalls(send: Send, sendForBytes: SendForBytes): ClusterApiCalls {
  const place = (cluster: string, path: string): string => `/k8s/clusters/${encodeURIComponent(cluster)}${path}`;
  return {
    readFromCluster: (cluster, path, call) =>
      send({ ...call, method: "GET", path: place(cluster, path), answer: z.unknown() }),
    streamFromCluster: (cluster, path, call) => sendForBytes({ ...call, method: "GET", path: place(cluster, path) }),
  };
}
