// Releases of charts from the command line to the cluster: a hub, an agent with the role `execute`, and the real helm.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-commands-helm-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { helm } = await ensureTools(["helm"]);
  const agentEnv = { PATH: `${dirname(helm)}:${process.env["PATH"]}` };
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"], agentEnv }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const { name } = fleet.namespace;
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, "--namespace", name]);
});
afterAll(() => undo.disposeAsync());

test("the example is planned, installed and uninstalled, and its password is seen by nobody", async () => {
  const password = `canary-${crypto.randomUUID()}`;
  const { name: namespace } = fleet.namespace;
  await fleet.cluster.kubectl([
    "create",
    "secret",
    "generic",
    "database",
    `--from-literal=password=${password}`,
    "-n",
    namespace,
  ]);
  const example = await readFile(join(import.meta.dirname, "../../deploy/examples/helm.yaml"), "utf8");
  const file = join(folder, "helm.yaml");
  await writeFile(
    file,
    example.replaceAll("namespace: shop", `namespace: ${namespace}`).replaceAll("shop/", `${namespace}/`),
  );

  const plan = await finish(file, "--dry-run");
  expect(plan).toMatchObject({ state: "succeeded", kind: "helm", target: `helm/${namespace}/web` });
  expect(didOf(plan)).toEqual({ "web-page": "created", "web-database": "created", web: "created" });
  const { stdout } = await fleet.hub.cli(["run", "helm", "-f", file, "--cluster", "east", "--follow"]);
  expect(stdout).toContain(`installs ${namespace}/web by the chart inline\n`);
  expect(stdout).toContain("revision 1 is deployed\n");
  const secret = await fleet.kubectl(["get", "secret", "web-database", "-o", "jsonpath={.data.password}"]);
  expect(Buffer.from(secret.stdout, "base64").toString()).toBe(password);

  await writeFile(join(folder, "gone.json"), JSON.stringify({ release: "web", namespace, action: "uninstall" }));
  const gone = await finish(join(folder, "gone.json"));
  expect(gone).toMatchObject({ state: "succeeded", result: { status: "absent" } });
  const logs = await Promise.all([fleet.hub.logFile, fleet.joined.agent.logFile].map((log) => readFile(log, "utf8")));
  const told = [plan, gone].map((run) => JSON.stringify(run));
  for (const text of [...told, stdout, ...logs]) {
    expect(text).not.toContain(password);
    expect(text).not.toContain(Buffer.from(password).toString("base64"));
  }
});

async function finish(file: string, ...args: string[]): Promise<CommandDetail> {
  const { stdout } = await fleet.hub.cli(["run", "helm", "-f", file, "--cluster", "east", "--wait", "--json", ...args]);
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  return (await requestHub(fleet.hub, `/api/v1/commands/${items[0]?.id}`)).json() as CommandDetail;
}

function didOf({ result }: CommandDetail): Record<string, string> {
  const { objects } = result as { objects: { name: string; did: string }[] };
  return Object.fromEntries(objects.map(({ name, did }) => [name, did]));
}
