// The live picture as a person sees it from a terminal, while a real cluster changes and its cable is cut.
import { waitUntil } from "@fairlead/kernel/testing";
import { programArgs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FollowedCommand, followCommand } from "../fleet/follow-command.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let namespace: string;
beforeAll(async () => {
  fleet = await startFleet({ roles: ["proxy", "observe"] });
  namespace = fleet.namespace.name;
  await fleet.kubectl(["create", "deployment", "web", "--image=demo", "--replicas=2"]);
  await fleet.kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
  expect(await waitUntil(async () => (await listPods()).length === 2, patient)).toBe(true);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("pods of all clusters are listed as kubectl lists them, with the age of what is known", async () => {
  const { stdout } = await fleet.hub.cli(["get", "pods", "--all-clusters", "-n", namespace]);
  const wanted = (await fleet.kubectl(["get", "pods", "--sort-by=.metadata.name"])).stdout;

  const [heading = "", ...rows] = cellsOf(stdout);
  expect(heading).toEqual(["CLUSTER", ...(cellsOf(wanted)[0] ?? []), "AGE-OF-DATA"]);
  expect(rows.map((row) => row.slice(1, 5))).toEqual(
    cellsOf(wanted)
      .slice(1)
      .map((row) => row.slice(0, 4)),
  );
  for (const row of rows) expect(row).toMatchObject({ 0: "east", 6: expect.stringMatching(/^\d+s$/) });
});

test("scaling through the hub is followed; what happened behind a cut cable is there soon after it is plugged in", async () => {
  await using watch = follow(["get", "pods", "--all-clusters", "-n", namespace, "-w"]);
  await watch.waitFor(/(?:web-\S+ .*\n.*){2}/);
  await scaleThroughHub(4);
  await watch.waitFor(/(?:web-\S+ +1\/1 +Running[\s\S]*){4}/);
  expect(await waitUntil(async () => (await listPods()).length === 4, patient)).toBe(true);

  fleet.joined.cable.cut();
  const cutAt = performance.now();
  // Changes the cluster on a way that isn't cut.
  await kubectlDirectly(["scale", "deployment/web", "--replicas=1"]);
  expect(await waitUntil(async () => (await podsDirectly()).length === 1, patient)).toBe(true);
  await watch.waitFor(/Warning: east is (?:stale|offline)/);
  const awayS = (performance.now() - cutAt) / 1000;
  const meanwhile = await fleet.hub.cli(["get", "pods", "-n", namespace]);
  const ages = cellsOf(meanwhile.stdout)
    .slice(1)
    .map((row) => row.at(-1) ?? "");
  expect(ages).toHaveLength(4);
  for (const age of ages) {
    const said = Number(/^(?:stale|offline) (\d+)s$/.exec(age)?.[1]);
    // It was last verified at most some seconds before the cut.
    expect(said, age).toBeGreaterThanOrEqual(Math.floor(awayS) - 2);
    expect(said, age).toBeLessThan((performance.now() - cutAt) / 1000 + 15);
  }
  expect(meanwhile.stderr).toMatch(/^Warning: east is (?:stale|offline): what is shown of it is \d+s old\.$/m);

  fleet.joined.cable.heal();
  const healedAt = performance.now();
  await watch.waitFor(/(?:web-\S+ .* deleted\n[\s\S]*){3}/);
  const deletedAfterMs = performance.now() - healedAt;
  expect(await listPods()).toEqual(await podsDirectly());
  await watch.waitFor(/east is back: its data is \d+s old\./);
  // The promise is 3 s from the link's return; an agent that was cut off may wait some seconds until it dials again.
  console.log(`the table was right ${Math.round(deletedAfterMs)} ms after the cable was plugged in`);
  expect(deletedAfterMs).toBeLessThan(30_000);
});

test("a watch outlives the hub's restart, and goes on where it was", async () => {
  await using watch = follow(["get", "deployments,services", "-n", namespace, "-o", "name", "-w"]);
  await watch.waitFor(/east\/deployment\.apps\/web\n/);
  await fleet.hub.stop("KILL");
  await watch.waitFor(/The hub at .* can't be reached/);
  await fleet.hub.start();
  await watch.waitFor(/The hub is back/);
  await kubectlDirectly(["create", "deployment", "later", "--image=demo"]);

  await watch.waitFor(/east\/deployment\.apps\/later\n/);
  expect(watch.output.match(/deployment\.apps\/web\n/g)).toHaveLength(1);
});

test("one object is described with its owners and events, and what changed is told", async () => {
  const pod = (await podsDirectly()).find((name) => name.startsWith("web-")) ?? "";
  expect(
    await waitUntil(
      async () => (await fleet.hub.cli(["get", `pod/${pod}`], { allowFailure: true })).code === 0,
      patient,
    ),
  ).toBe(true);

  const { stdout } = await fleet.hub.cli(["describe", `pod/${pod}`, "-n", namespace]);
  expect(stdout).toMatch(new RegExp(`^Name: +${pod}\\nNamespace: +${namespace}\\nCluster: +east\\n`));
  expect(stdout).toMatch(/\nOwned by: +replicaset\.apps\/web-\w+ < deployment\.apps\/web\n/);
  expect(stdout).toMatch(/\n {2}Ready +True /);

  const changes = (await fleet.hub.cli(["change", "list", "--since", "1h", "-n", namespace, "--kind", "deploy,pods"]))
    .stdout;
  expect(changes).toMatch(/ updated +east .* deployment\.apps\/web /);
  expect(changes).toMatch(/ deleted +east .* pod\/web-/);
  expect((await fleet.hub.cli(["top", "cluster"])).stdout).toMatch(/^east +connected +v1\./m);
  // A cluster's data has an age once each of its kinds was listed, and the kinds of new CRDs are listed late.
  expect(
    await waitUntil(
      async () => /^Data: +\d+s$/m.test((await fleet.hub.cli(["cluster", "get", "east"])).stdout),
      patient,
    ),
  ).toBe(true);
});

async function scaleThroughHub(replicas: number): Promise<void> {
  await fleet.kubectl(["scale", "deployment/web", `--replicas=${replicas}`]);
}

async function kubectlDirectly(args: readonly string[]): Promise<string> {
  return (await fleet.cluster.kubectl(["--namespace", namespace, ...args])).stdout;
}

async function podsDirectly(): Promise<string[]> {
  const names = await kubectlDirectly(["get", "pods", "-o", "jsonpath={.items[*].metadata.name}"]);
  return names.split(" ").filter(Boolean).sort();
}

async function listPods(): Promise<string[]> {
  const args = ["get", "pods", "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}"];
  const { stdout } = await fleet.hub.cli(args, { allowFailure: true });
  return stdout.split(" ").filter(Boolean).sort();
}

function follow(args: readonly string[]): FollowedCommand {
  const env = { PATH: process.env["PATH"] ?? "", HOME: fleet.hub.dataDir, FAIRLEAD_CONFIG: fleet.hub.cliConfig };
  return followCommand(process.execPath, [...programArgs("cli"), ...args], env);
}

/** Cells are two spaces or more apart. */
function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

const patient = { timeoutMs: 60_000, intervalMs: 200 };
