// Helm 4 through the hub, by the kubeconfig that the hub writes. It waits for what it installs by watches.
import { join } from "node:path";
import { type Helm, openHelm, repoRoot } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const chart = join(repoRoot, "test", "e2e", "shop-chart");
let fleet: Fleet;
let helm: Helm;

beforeAll(async () => {
  fleet = await startFleet();
  helm = await openHelm({ kubeconfig: fleet.kubeconfig });
});
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

test("Helm installs a chart and waits until it runs", async () => {
  await runHelm("install", "shop", chart, "--wait", "--timeout", "60s");
  expect(await readShop()).toEqual({ greeting: "hello", readyReplicas: "1" });
});

test("Helm upgrades it, and rolls back", async () => {
  await runHelm("upgrade", "shop", chart, "--wait", "--timeout", "60s", "--set", "replicas=3,greeting=good day");
  expect(await readShop()).toEqual({ greeting: "good day", readyReplicas: "3" });
  const history = JSON.parse((await runHelm("history", "shop", "--output", "json")).stdout) as { revision: number }[];
  expect(history.map(({ revision }) => revision)).toEqual([1, 2]);
  await runHelm("rollback", "shop", "1", "--wait", "--timeout", "60s");
  expect(await readShop()).toEqual({ greeting: "hello", readyReplicas: "1" });
});

test("Helm uninstalls it, and nothing stays behind", async () => {
  await runHelm("uninstall", "shop", "--wait", "--timeout", "60s");
  expect(JSON.parse((await runHelm("list", "--output", "json")).stdout)).toEqual([]);
  const objects = ["deployment/shop", "service/shop", "configmap/shop"];
  expect((await fleet.kubectl(["get", ...objects, "--ignore-not-found", "-o", "name"])).stdout).toBe("");
});

function runHelm(...args: string[]) {
  return helm.run([...args, "--namespace", fleet.namespace.name], { timeoutMs: 90_000 });
}

async function readShop(): Promise<object> {
  const read = async (what: string, path: string) =>
    (await fleet.cluster.kubectl(["-n", fleet.namespace.name, "get", what, "-o", `jsonpath={${path}}`])).stdout;
  return {
    greeting: await read("configmap/shop", ".data.greeting"),
    readyReplicas: await read("deployment/shop", ".status.readyReplicas"),
  };
}
