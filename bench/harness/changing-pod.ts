// An object that changes and a log that grows, straight at the API server, for watches and followed logs to be checked
// against: each change carries its number.
import { setTimeout as delay } from "node:timers/promises";
import type { TestCluster } from "@fairlead/testkit";
import { throughGate } from "./gate.ts";
import { openLines } from "./line-stream.ts";
import type { Route } from "./load.ts";

export interface ChangingPod {
  readonly name: string;
  /** From the object's creation on. */
  readonly watchPath: string;
  readonly logPath: string;
  /** How many changes there have been; the last one is the end of both. */
  readonly changes: number;
  /** Changes both again and again until the signal aborts, then once more for the end. */
  changeUntil(signal: AbortSignal): Promise<void>;
}

const base = "/api/v1/namespaces/default";
const everyMs = 200;
const end = "end";

export async function createChangingPod(cluster: TestCluster, name: string): Promise<ChangingPod> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "main", image: "bench" }] },
  };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
  await cluster.kubectl(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
  const { metadata } = await cluster.api.json<{ metadata: { resourceVersion: string } }>({
    method: "POST",
    path: `${base}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  });
  let changes = 0;
  const change = async (text: string) => {
    changes += 1;
    await cluster.writeLog({ namespace: "default", pod: name, container: "main", text: `${text}\n` });
    await cluster.api.json({
      method: "PATCH",
      path: `${base}/configmaps/${name}`,
      contentType: "application/merge-patch+json",
      body: { data: { text } },
    });
  };
  return {
    name,
    watchPath: `${base}/configmaps?watch=true&fieldSelector=metadata.name%3D${name}&resourceVersion=${metadata.resourceVersion}`,
    logPath: `${base}/pods/${name}/log?follow=true&container=main`,
    get changes() {
      return changes;
    },
    async changeUntil(signal) {
      while (!signal.aborted) {
        await change(String(changes + 1));
        await delay(everyMs, undefined, { signal }).catch(() => {});
      }
      await change(end);
    },
  };
}

/** Returns true when a watch shows every change in its order, up to the end. */
export async function followWatch(options: { route: Route; pod: ChangingPod; signal: AbortSignal }): Promise<boolean> {
  const { route, pod, signal } = options;
  const lines = await throughGate(() => openLines({ route, path: pod.watchPath, signal }));
  return isWhole(lines, pod, (line) => {
    const { object } = JSON.parse(line) as { object: { data?: { text?: string } } };
    return object.data?.text;
  });
}

/** Returns true when a followed log shows every line in its order, up to the end. */
export async function followLog(options: { route: Route; pod: ChangingPod; signal: AbortSignal }): Promise<boolean> {
  const { route, pod, signal } = options;
  const lines = await throughGate(() => openLines({ route, path: pod.logPath, signal }));
  return isWhole(lines, pod, (line) => line);
}

async function isWhole(lines: AsyncIterable<string>, pod: ChangingPod, read: (line: string) => string | undefined) {
  let seen = 0;
  for await (const line of lines) {
    const text = read(line);
    if (text === end) return seen + 1 === pod.changes;
    seen += 1;
    if (text !== String(seen)) return false;
  }
  return false;
}
