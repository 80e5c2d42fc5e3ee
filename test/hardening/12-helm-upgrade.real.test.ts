// More roles for an agent that was installed by Helm: a token that gives them, and the lines that come with it.
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, imageRegistry, readPodProgram, startProgram } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InstalledAgent, installAgent } from "../fleet/install-agent.ts";

const observer = "fairlead-agent-observe";
let agent: InstalledAgent;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  agent = undo.use(await installAgent({ replicas: ["first"] }));
});
afterAll(() => undo.disposeAsync());

describe("12: an agent that was installed by Helm gets more roles by an upgrade", () => {
  it("by the lines that come with the token, while the proxy's pods go on with their identity", async () => {
    const { hub, cluster, namespace, folder } = agent;
    const roles = ["--role", "proxy", "--role", "observe"];
    const made = await hub.cli([
      "cluster",
      "token",
      "create",
      "east",
      ...roles,
      "--token-out",
      join(folder, "token"),
      "--json",
    ]);
    const { helm } = JSON.parse(made.stdout) as { helm: { command: string } };
    expect(helm.command).toContain("--set observe.enabled=true");
    await agent.runLines(`${helm.command} --set-string image.registry=${imageRegistry}`);

    const { stdout } = await cluster.kubectl(["-n", namespace, "get", "deployment", observer, "-o", "json"]);
    const { args, env } = readPodProgram(JSON.parse(stdout), { "/var/run/fairlead/token": folder });
    const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: observer });
    const logFile = join(folder, "observer.log");
    const pod = await startProgram("agent", {
      name: "observer",
      args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
      env: { HOME: folder, ...env },
      logFile,
    });
    undo.defer(async () => void (await pod.stop({ graceMs: 5_000 })));
    const isLive = async () => {
      const { items } = JSON.parse((await hub.cli(["cluster", "list", "--json"])).stdout);
      return items[0].linkedRoles.length === 2;
    };
    expect(await waitUntil(isLive, { timeoutMs: 60_000, intervalMs: 1_000 })).toBe(true);
    // Both say in which cluster they are, with the rights that the chart gives them.
    const detail = JSON.parse((await hub.cli(["cluster", "get", "east", "--json"])).stdout);
    expect(detail).toMatchObject({ roles: ["proxy", "observe"], identityRoles: ["observe", "proxy"] });
    expect(detail.refusal).toBeUndefined();
    const uid = await cluster.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"]);
    expect(detail.kubeSystemUid).toBe(uid.stdout);
    expect(await findLogLines(join(folder, "first.log"), "enrolled with the hub")).toHaveLength(1);
  });

  it("and may read the UID of its cluster, which every mode of the chart lets it", async () => {
    const { cluster, namespace } = agent;
    const mayGet = (account: string) =>
      cluster.kubectl(["auth", "can-i", "get", "namespaces/kube-system", "-n", "kube-system", `--as=${account}`], {
        allowFailure: true,
      });
    const read = (account: string) =>
      cluster.kubectl(["get", "namespace", "kube-system", "-o", "name", `--as=${account}`], { allowFailure: true });
    for (const role of ["proxy", "observe"]) {
      const account = `system:serviceaccount:${namespace}:fairlead-agent-${role}`;
      expect((await read(account)).stdout.trim(), role).toBe("namespace/kube-system");
    }
    // Narrow: no ClusterRole any more, and a Role in kube-system for that one object.
    const set = ["--reuse-values", "--set", "proxy.enabled=false", "--set", `observe.namespaces={${namespace}}`];
    await agent.helm.run(["upgrade", "fairlead-agent", "charts/fairlead-agent", "--namespace", namespace, ...set]);
    const account = `system:serviceaccount:${namespace}:${observer}`;
    expect((await read(account)).stdout.trim()).toBe("namespace/kube-system");
    expect((await mayGet(account)).stdout.trim()).toBe("yes");
    const other = ["get", "namespace", "default", `--as=${account}`];
    expect((await cluster.kubectl(other, { allowFailure: true })).stderr).toContain("Forbidden");
  });
});
