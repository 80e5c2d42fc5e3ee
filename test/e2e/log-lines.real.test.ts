// What hub and agent write while all is well, from their start to their end by SIGTERM.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

type Line = Readonly<Record<string, unknown>>;

/** A watch lasts until it is cut. */
const drain = ["--drain", "2s"];
const undo = new AsyncDisposableStack();
let fleet: Fleet;
let hubLines: readonly Line[] = [];
let agentLines: readonly Line[] = [];

beforeAll(async () => {
  // With the programs that the image for commands has.
  const { helm, tofu } = await ensureTools(["helm", "tofu"]);
  const agentEnv = { PATH: [dirname(helm), dirname(tofu), process.env["PATH"]].join(delimiter) };
  fleet = undo.use(
    await startFleet({
      roles: ["proxy", "observe", "execute"],
      hub: { args: drain },
      agentArgs: drain,
      agentEnv,
    }),
  );
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
  await use();
  // With a watch open, as there nearly always is one.
  const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/configmaps?watch=1`;
  const watch = requestHub(fleet.hub, path).catch(() => undefined);
  await until(async () => (await readMetric("fairlead_cluster_requests_active")) > 0, "the watch");
  await fleet.joined.agent.stop();
  await fleet.hub.stop();
  await watch;
  hubLines = await readLines(fleet.hub.logFile);
  agentLines = await readLines(fleet.joined.agent.logFile);
});
afterAll(() => undo.disposeAsync());

test("each line of the hub's log has the one shape", () => {
  expectShape(hubLines, /^hub(\/[a-z]+)?$/);
  expect(messages(hubLines)).toEqual(expect.arrayContaining(["hub is ready", "hub is stopping", "hub has stopped"]));
});

test("each line of the agent's log has the one shape, and names its cluster once the agent knows it", () => {
  expectShape(agentLines, /^agent(\/[a-z]+)?$/);
  expect(messages(agentLines)).toEqual(expect.arrayContaining(["agent starts", "request ended", "agent is stopped"]));
  const enrolledAt = agentLines.findIndex(({ cluster }) => cluster !== undefined);
  for (const { cluster } of agentLines.slice(enrolledAt)) expect(cluster).toBe("east");
});

test("a request has one id in the log lines of both", () => {
  const id = agentLines.find(({ msg }) => msg === "request ended")?.["requestId"];
  expect(id).toMatch(/^req_/);
});

test("nothing that is normal is a warning, and an end by SIGTERM has no stack", () => {
  for (const line of [...hubLines, ...agentLines]) {
    expect(["debug", "info"], JSON.stringify(line)).toContain(line["level"]);
    expect(JSON.stringify(line)).not.toContain('"stack"');
  }
});

async function use(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-log-lines-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await fleet.kubectl(["create", "configmap", "mine", "--from-literal=a=b"]);
  await fleet.kubectl(["get", "configmaps,pods,deployments"]);
  await fleet.kubectl(["get", "configmap", "missing"], { allowFailure: true });
  const manifests = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "one" },
    data: { a: "b" },
  });
  const file = join(folder, "set.json");
  await writeFile(file, JSON.stringify({ set: "one", namespace: fleet.namespace.name, manifests }));
  await fleet.hub.cli(["run", "manifests", "-f", file, "--cluster", "east", "--wait"]);
  const isSeen = async (): Promise<boolean> => {
    const { stdout } = await fleet.hub.cli(["get", "namespaces"], { allowFailure: true });
    return stdout.includes(fleet.namespace.name);
  };
  await until(isSeen, "the inventory");
}

function expectShape(lines: readonly Line[], component: RegExp): void {
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const text = JSON.stringify(line);
    expect(line["time"], text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(line["msg"], text).toBeTypeOf("string");
    expect(line["component"], text).toMatch(component);
    for (const name of ["cluster", "requestId"]) expect(["string", "undefined"], text).toContain(typeof line[name]);
    for (const name of ["hostname", "v"]) expect(line, text).not.toHaveProperty(name);
  }
}

function messages(lines: readonly Line[]): unknown[] {
  return lines.map(({ msg }) => msg);
}

/** All of standard output, and of standard error what isn't for people: the admin token and how to sign in. */
async function readLines(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
}

async function readMetric(name: string): Promise<number> {
  const { text } = await requestHub(fleet.hub, "/metrics");
  const [, value] = new RegExp(`^${name}\\{.*\\} (.*)$`, "m").exec(text) ?? [];
  return Number(value ?? 0);
}
