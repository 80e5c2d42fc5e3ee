import { Backoff, type Clock, isFairleadError, sleep } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";

/** What the hub is told about the cluster; empty until the API server said it. */
export interface ClusterFacts {
  readonly kubernetesVersion: string;
  /** UID of the namespace `kube-system`: it tells two clusters under one name apart. */
  readonly kubeSystemUid: string;
}

export interface FactsLog {
  warn(fields: object, message: string): void;
}

/** Asks until both are known. An API server that is down at start is asked again; one that forbids is believed. */
export async function learnClusterFacts(options: {
  client: KubeClient;
  clock: Clock;
  signal: AbortSignal;
  log: FactsLog;
  onLearned: (facts: ClusterFacts) => void;
}): Promise<void> {
  const { client, clock, signal, log, onLearned } = options;
  const backoff = new Backoff({ baseMs: 1_000, maxMs: 15_000 });
  let warned = false;
  while (!signal.aborted) {
    try {
      const { gitVersion } = await client.request<{ gitVersion: string }>({
        path: "/version",
        signal,
        timeoutMs: 5_000,
      });
      onLearned({ kubernetesVersion: gitVersion, kubeSystemUid: await readUid(client, signal) });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!warned) log.warn({ err: error }, "the API server doesn't answer yet");
      warned = true;
      await sleep(Math.max(backoff.nextMs(), 500), { clock, signal }).catch(() => undefined);
    }
  }
}

async function readUid(client: KubeClient, signal: AbortSignal): Promise<string> {
  const path = "/api/v1/namespaces/kube-system";
  try {
    const { metadata } = await client.request<{ metadata: { uid: string } }>({ path, signal, timeoutMs: 5_000 });
    return metadata.uid;
  } catch (error) {
    if (isFairleadError(error) && (error.httpStatus === 403 || error.httpStatus === 404)) return "";
    throw error;
  }
}
