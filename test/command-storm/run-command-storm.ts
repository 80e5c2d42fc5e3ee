// A hub, clusters with an agent each, and clients that ask for commands of all kinds, while agents and the hub are killed
// and cables are cut. Each command ends in one outcome, what is there is what the outcomes say, and nothing is left over.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ClusterAccess,
  createAgentKubeconfig,
  createNamespace,
  ensureTools,
  joinCluster,
  startHub,
} from "@fairlead/testkit";
import { createChance } from "../fleet/chance.ts";
import { type FaultKind, keepFailing } from "../fleet/keep-failing.ts";
import { watchArguments } from "./canary.ts";
import { checkCommands, checkLeftovers, checkSecrecy } from "./check.ts";
import { keepAsking, type Line } from "./clients.ts";
import { deedKinds } from "./deeds/index.ts";
import { canaryName, type Ground, type Harness } from "./harness.ts";

export interface CommandStormReport {
  readonly faults: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

export async function runCommandStorm(options: {
  readonly seconds: number;
  readonly clusters: readonly ClusterAccess[];
  /** The number of targets of each kind in each cluster. */
  readonly targets: number;
  readonly pauseMs: readonly [number, number];
  readonly faults: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}): Promise<CommandStormReport> {
  const { seconds, clusters, targets, pauseMs, seed, onProgress = () => undefined } = options;
  await using undo = new AsyncDisposableStack();
  onProgress("starting the hub");
  const hub = undo.use(await startHub());
  const canary = `canary "${randomUUID()}" & more`;
  const grounds: Ground[] = [];
  for (const [index, cluster] of clusters.entries())
    grounds.push(await prepareGround({ hub, cluster, name: `storm-${index + 1}`, canary, undo }));
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const stop = new AbortController();
  const harness: Harness = {
    hub,
    grounds,
    canary,
    chance: createChance(seed),
    over: stop.signal,
    breaks(what) {
      broken.push(what);
      onProgress(`BROKEN: ${what}`);
    },
    count(what) {
      counts[what] = (counts[what] ?? 0) + 1;
    },
  };
  const lines: readonly Line[] = grounds.flatMap((ground) =>
    deedKinds.flatMap((kind) =>
      Array.from({ length: targets }, (_, index) => ({ ground, kind, target: `${kind.kind}-${index}`, asked: [] })),
    ),
  );
  const looking = new AbortController();
  const watching = watchArguments(harness, looking.signal);
  const clients = lines.map((line) => keepAsking(harness, line, pauseMs));
  const timer = setTimeout(() => stop.abort(), seconds * 1000);
  // Chances of its own: clients draw theirs whenever they get to it.
  const faults = await keepFailing({
    faulted: { hub, joined: grounds.map(({ joined }) => joined), chance: createChance(seed), over: stop.signal },
    kinds: options.faults,
    calmSeconds: options.calmSeconds,
    onProgress,
  }).finally(() => {
    clearTimeout(timer);
    stop.abort();
  });
  onProgress("the storm is over");
  await Promise.all(clients);
  await checkCommands(harness, lines, patienceMs);
  looking.abort();
  await watching;
  onProgress("looking for what is left");
  await checkLeftovers(harness, deedKinds);
  await checkSecrecy(harness, lines);
  return { faults, counts, broken };
}

async function prepareGround(options: {
  readonly hub: Harness["hub"];
  readonly cluster: ClusterAccess;
  readonly name: string;
  readonly canary: string;
  readonly undo: AsyncDisposableStack;
}): Promise<Ground> {
  const { hub, cluster, name, canary, undo } = options;
  const { name: namespace } = undo.use(await createNamespace(cluster, "storm"));
  const account = `${namespace}-agent`;
  const kubeconfig = await createAgentKubeconfig(cluster, account);
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${account}` })));
  const inNamespace = ["--namespace", namespace];
  const group = `--group=system:serviceaccounts:${account}`;
  await cluster.kubectl(["create", "rolebinding", "storm", "--clusterrole=cluster-admin", group, ...inNamespace]);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: canaryName }, stringData: { value: canary } };
  await cluster.kubectl(["apply", "-f", "-", ...inNamespace], { input: JSON.stringify(secret) });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-storm-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  // Provisioners of the storm's configurations are programs.
  await writeFile(join(folder, "policy.yaml"), "execute: {tofu: {programs: true}}\n");
  const agentArgs = ["--execute-parallel", "6", "--policy-file", join(folder, "policy.yaml")];
  const { helm, tofu } = await ensureTools(["helm", "tofu"]);
  const agentEnv = { PATH: [dirname(helm), dirname(tofu), process.env["PATH"]].join(":") };
  const joined = undo.use(await joinCluster({ hub, name, kubeconfig, roles: ["execute"], agentArgs, agentEnv }));
  return { cluster, namespace, joined };
}

/** For all commands that are left: a killed agent's leases end by themselves. */
const patienceMs = 240_000;
