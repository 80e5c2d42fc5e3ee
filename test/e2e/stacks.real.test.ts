// A stack from the command line to the cluster: a hub, and an agent with the role `execute`.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StackDetail } from "@fairlead/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-stacks-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"] }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const { name } = fleet.namespace;
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, "--namespace", name]);
});
afterAll(() => undo.disposeAsync());

test("the example is planned, applied in its order, and destroyed in the reverse one", async () => {
  const { name: namespace } = fleet.namespace;
  const example = await readFile(join(import.meta.dirname, "../../deploy/examples/stack.yaml"), "utf8");
  const file = join(folder, "stack.yaml");
  await writeFile(file, example.replaceAll("namespace: shop", `namespace: ${namespace}`));

  const planned = await fleet.hub.cli(["stack", "plan", "-f", file]);
  expect(planned.stdout).toContain("apply web in east would:\n");
  expect(planned.stdout).toContain("plan of shop succeeded: 2 of 2");
  expect(await listObjects()).toEqual([]);

  const applied = await fleet.hub.cli(["stack", "apply", "-f", file]);
  const [first = "", last = ""] = ["settings", "web"].map((name) => `apply ${name} in east: succeeded`);
  expect(applied.stdout.indexOf(first)).toBeGreaterThanOrEqual(0);
  expect(applied.stdout.indexOf(last)).toBeGreaterThan(applied.stdout.indexOf(first));
  expect(await listObjects()).toEqual(["configmap/settings", "deployment.apps/web"]);
  const known = (await requestHub(fleet.hub, "/api/v1/stacks/shop")).json() as StackDetail;
  expect(known.resources.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    "settings succeeded",
    "web succeeded",
  ]);

  const destroyed = await fleet.hub.cli(["stack", "destroy", "shop", "--yes"]);
  const at = ["web", "settings"].map((name) => destroyed.stdout.indexOf(`destroy ${name} in east: succeeded`));
  expect(at[0]).toBeGreaterThanOrEqual(0);
  expect(at[1]).toBeGreaterThan(at[0] ?? 0);
  expect(await listObjects()).toEqual([]);
});

async function listObjects(): Promise<string[]> {
  const { stdout } = await fleet.kubectl(["get", "configmaps,deployments", "-o", "name"]);
  return stdout
    .split("\n")
    .filter((line) => /\/(settings|web)$/.test(line))
    .sort();
}
