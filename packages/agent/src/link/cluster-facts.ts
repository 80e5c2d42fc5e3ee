import { Backoff, type Clock, isFairleadError, sleep } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";

/** The hub is told these about the cluster; they are empty until the API server said them. */
export interface ClusterFacts {
  readonly kubernetesVersion: string;
  /** UID of the namespace `kube-system`: it tells two clusters under one name apart. */
  readonly kubeSystemUid: string;
}

export interface FactsLog {
  warn(fields: object, message: string): void;
}

/**
 * Asks until both are known, and then now and then: what a kubeconfig leads to may be another cluster by now. An API
 * server that is down is asked again, and what it said before holds; one that forbids is believed.
 */
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
  let known: ClusterFacts | undefined;
  while (!signal.aborted) {
    try {
      const { gitVersion } = await client.request<{ gitVersion: string }>({
        path: "/version",
        signal,
        timeoutMs: 5_000,
      });
      const found = { kubernetesVersion: gitVersion, kubeSystemUid: await readUid(client, signal) };
      if (found.kubernetesVersion !== known?.kubernetesVersion || found.kubeSystemUid !== known.kubeSystemUid) {
        if (found.kubeSystemUid === "") log.warn({ hint: uidHint }, "the agent may not get the namespace kube-system");
        onLearned(found);
      }
      known = found;
      backoff.reset();
      await sleep(againMs, { clock, signal }).catch(() => undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (!warned && !known) log.warn({ err: error }, "the API server doesn't answer yet");
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

/** A GET of one small object. */
const againMs = 30_000;
const uidHint =
  "Its UID tells two clusters of one name apart, and without it a hub that knows it doesn't use the agent. The chart fairlead-agent gives the right; docs/install.md has the Role for other accounts.";
