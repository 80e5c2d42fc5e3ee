// A hub on a PostgreSQL, a cluster, and an agent that keeps its records in Secrets as it does in a pod. All are the built
// programs.

import { dirname } from "node:path";
import type { Command, CommandDetail } from "@fairlead/contract";
import {
  createAgentKubeconfig,
  createNamespace,
  ensureBuilt,
  ensureTools,
  type JoinedCluster,
  joinCluster,
  type Postgres,
  startCluster,
  startHubs,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { askHub, tellHub } from "../harness/hub-api.ts";

export interface CommandStage extends AsyncDisposable {
  readonly hub: TestHub;
  readonly postgres: Postgres;
  readonly cluster: TestCluster;
  readonly joined: JoinedCluster;
  /** For what commands do. */
  readonly namespace: string;
  submit(spec: object, rest?: { readonly kind?: string; readonly dryRun?: boolean }): Promise<string>;
  /** Until it has ended; throws unless it ended well. */
  finish(id: string): Promise<CommandDetail>;
  /** Until no command goes on; the hub isn't asked. */
  untilIdle(): Promise<void>;
}

export async function setCommandStage(): Promise<CommandStage> {
  await using undo = new AsyncDisposableStack();
  await ensureBuilt();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: 1 }));
  const hubs = undo.use(await startHubs({ count: 1, isBuilt: true }));
  const [hub] = hubs.hubs;
  if (hub === undefined) throw new Error("this takes a hub");
  const { name: namespace } = undo.use(await createNamespace(cluster, "bench"));
  const kubeconfig = await createAgentKubeconfig(cluster, "agent");
  const group = "--group=system:serviceaccounts:agent";
  await cluster.kubectl(["create", "clusterrolebinding", "bench-execute", "--clusterrole=cluster-admin", group]);
  const { helm } = await ensureTools(["helm"]);
  // As the chart has it.
  const agentEnv = { PATH: `${dirname(helm)}:${process.env["PATH"]}`, MALLOC_ARENA_MAX: "1" };
  const joined = undo.use(
    await joinCluster({
      hub,
      name: "bench",
      kubeconfig,
      roles: ["execute"],
      isAgentBuilt: true,
      agentEnv,
      identitySecret: "fairlead-agent-identity",
      agentArgs: ["--execute-parallel", "16"],
    }),
  );
  const release = undo.move();
  return {
    hub,
    cluster,
    joined,
    namespace,
    postgres: hubs.postgres,
    async submit(spec, { kind = "manifests", dryRun = false } = {}) {
      return (await tellHub<Command>(hub, "/api/v1/commands", { cluster: "bench", kind, spec, dryRun })).id;
    },
    async finish(id) {
      for (;;) {
        const command = await askHub<CommandDetail>(hub, `/api/v1/commands/${id}`);
        if (command.finishedAt === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
        else if (command.state === "succeeded") return command;
        else throw new Error(`${id} ended as ${command.state}: ${JSON.stringify(command.trouble)}`);
      }
    },
    async untilIdle() {
      const isBusy = "select from command where finished_at is null limit 1";
      while ((await hubs.postgres.query(isBusy)).length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
