// A cluster's own API behind the hub, in the caller's name. Its answers are Kubernetes', and no part of this contract.
import { clusterApiPath } from "../places.ts";
import type { AnswerSchema, CallOptions, Send, SendForBytes } from "../send.ts";

export interface ClusterApiCalls {
  /** The JSON that a GET is answered with. Throws API_CLUSTER_REFUSED where the cluster refuses. */
  readFromCluster(cluster: string, path: string, options?: CallOptions): Promise<unknown>;
  /** Puts an object in the place of the one that is there; resolves to what the cluster answers. */
  replaceInCluster(cluster: string, path: string, object: object, options?: CallOptions): Promise<unknown>;
  /** Yields the bytes of the answer to a GET, as they come. */
  streamFromCluster(cluster: string, path: string, options?: CallOptions): AsyncIterable<Uint8Array>;
}

export function createClusterApiCalls(send: Send, sendForBytes: SendForBytes): ClusterApiCalls {
  const place = (cluster: string, path: string): string => clusterApiPath(cluster) + path;
  return {
    readFromCluster: (cluster, path, call) =>
      send({ ...call, method: "GET", path: place(cluster, path), answer: anything }),
    replaceInCluster: (cluster, path, object, call) =>
      send({ ...call, method: "PUT", path: place(cluster, path), body: object, answer: anything }),
    streamFromCluster: (cluster, path, call) => sendForBytes({ ...call, method: "GET", path: place(cluster, path) }),
  };
}

const anything: AnswerSchema<unknown> = { safeParse: (data) => ({ success: true, data }) };
