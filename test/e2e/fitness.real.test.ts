// Whether a cluster is fit, as a person learns it from the hub while things in the cluster change.
import { waitUntil } from "@fairlead/kernel/testing";
import { startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let cluster: TestCluster;
let fleet: Fleet;
beforeAll(async () => {
  cluster = await startCluster({ name: "fitness" });
  fleet = await startFleet({ cluster, roles: ["observe"] });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("an addon that comes into the cluster is healthy on the hub within seconds, and absent once it is gone", async () => {
  await waitForState("metrics-server", "absent");
  await apply(metricsServer("registry.example.com/mirror/metrics-server/metrics-server:v0.8.1"));
  await waitForState("metrics-server", "healthy");
  const before = await read("addons.fairlead.dev", "metrics-server");
  await apply(metricsServer("registry.example.com/other/proxy:v1"));
  await waitForState("metrics-server", "absent");
  expect((await read("addons.fairlead.dev", "metrics-server")).metadata.uid).toBe(before.metadata.uid);
});

interface Shown {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: Readonly<Record<string, unknown>>;
}

async function read(kind: string, name: string): Promise<Shown> {
  const { stdout } = await fleet.hub.cli(["get", kind, name, "--cluster", "east", "-o", "json"]);
  return JSON.parse(stdout) as Shown;
}

async function waitForState(addon: string, state: string): Promise<void> {
  let seen = "";
  const isThere = await waitUntil(
    async () => {
      const { stdout } = await fleet.hub.cli(["get", "addons.fairlead.dev", "--cluster", "east"], {
        allowFailure: true,
      });
      seen = stdout;
      return new RegExp(`${addon} .*\\b${state}\\b`).test(stdout);
    },
    { timeoutMs: 20_000 },
  );
  expect(isThere, seen).toBe(true);
}

async function apply(object: object): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], { input: JSON.stringify(object) });
}

function metricsServer(image: string): object {
  const labels = { "k8s-app": "metrics-server" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "metrics-server", namespace: "kube-system", labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "metrics-server", image }] } },
    },
  };
}
