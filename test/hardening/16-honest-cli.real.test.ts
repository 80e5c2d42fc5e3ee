// Differences from kubectl, and silences, that scripts and people found, played with the real programs on a real
// cluster.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { programArgs } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let namespace: string;
beforeAll(async () => {
  fleet = await startFleet({ roles: ["proxy", "observe"] });
  namespace = fleet.namespace.name;
  await directly(["create", "deployment", "web", "--image=demo", "--replicas=2"]);
  await directly(["create", "service", "clusterip", "web", "--tcp=80:8080"]);
  await directly(["create", "service", "loadbalancer", "front", "--tcp=80:8080"]);
  await directly(["rollout", "status", "deployment/web", "--timeout=60s"]);
  const isThere = async () => (await list("pods,services", "-o", "name")).split("\n").filter(Boolean).length === 4;
  expect(await waitUntil(isThere, { timeoutMs: 60_000, intervalMs: 200 })).toBe(true);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe("16: the command is as honest as kubectl", () => {
  test.each([
    ["pods", "NAME:.metadata.name,APP:.metadata.labels.app,IMAGES:.spec.containers[*].image,PHASE:status.phase"],
    ["pods", "LABELS:.metadata.labels,GRACE:{.spec.terminationGracePeriodSeconds},NONE:.spec.nothing.at.all"],
    ["pods", "NAME:.metadata.name,TRUE:.status.conditions[?(@.status=='True')].type,LAST:.spec.tolerations[-1:].key"],
    ["services", "NAME:.metadata.name,PORTS:.spec.ports[*].targetPort,EXTERNAL:.spec.externalIPs,TYPE:.spec.type"],
  ])("custom columns of %s are kubectl's: %s", async (kind, columns) => {
    for (const more of [[], ["--no-headers"]]) {
      const args: [string, ...string[]] = [
        kind,
        "--sort-by=.metadata.name",
        "-o",
        `custom-columns=${columns}`,
        ...more,
      ];
      expect(cellsOf(await list(...args))).toEqual(cellsOf(await directly(["get", ...args])));
    }
  });

  test("custom columns of nothing are kubectl's: the headings alone", async () => {
    const args = ["-l", "app=nothing", "-o", "custom-columns=NAME:.metadata.name,NODE:.spec.nodeName"];
    expect(cellsOf(await list("pods", ...args))).toEqual(cellsOf(await directly(["get", "pods", ...args])));
  });

  test.each([["pods"], ["services"], ["deployments"], ["replicasets"]])(
    "%s have a blank where kubectl shows one, and <none> where it says so",
    async (kind) => {
      const own = cellsOf(await list(kind, "--no-headers", "--sort-by=.metadata.name", "-o", "wide"));
      const wanted = cellsOf(await directly(["get", kind, "--no-headers", "--sort-by=.metadata.name", "-o", "wide"]));
      // Without the cluster, and the health and the age of data at the end. Ages go on meanwhile.
      const isAge = /^\d+[smhd](\d+[smh])?$/;
      const steady = (rows: string[][]) => rows.map((row) => row.filter((cell) => !isAge.test(cell)));
      expect(steady(own.map((row) => row.slice(1, -2)))).toEqual(steady(wanted));
    },
  );

  test("a watch in JSON says on stderr that the hub is away and back, and nothing but JSON on stdout", async () => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: fleet.hub.dataDir, FAIRLEAD_CONFIG: fleet.hub.cliConfig };
    const args = [...programArgs("cli"), "get", "deployments", "-n", namespace, "-w", "-o", "json"];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      const said = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].on("data", (chunk: Buffer) => {
          said[stream] += chunk.toString();
        });
      }
      const sees = async (stream: "stdout" | "stderr", pattern: RegExp) =>
        expect(await waitUntil(() => pattern.test(said[stream]), { timeoutMs: 60_000 }), said[stream]).toBe(true);
      await sees("stdout", /"type":"ADDED"/);
      await fleet.hub.stop("KILL");
      await sees("stderr", /^The hub at .* can't be reached.* trying again\.$/m);
      await fleet.hub.start();
      await sees("stderr", /^The hub is back\.$/m);
      for (const line of said.stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("type");
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }
  });

  test("events don't drown what changed, unless they are asked for", async () => {
    const kindsOf = (text: string) => new Set(cellsOf(text).map((row) => row[4]?.split("/")[0]));
    const all = kindsOf(await run("change", "list", "-n", namespace));
    expect(all).toContain("pod");
    expect(all).not.toContain("event");
    expect(kindsOf(await run("change", "list", "-n", namespace, "--kind", "events"))).toContain("event");
  });

  test("folders that --token-out needs are made, for their owner alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-tokens-"));
    try {
      await run("cluster", "token", "create", "east", "--token-out", join(folder, "prod", "east"));
      await run("access", "robot", "create", "ci");
      await run("access", "robot", "token", "create", "ci", "--token-out", join(folder, "robots", "ci"));
      for (const made of ["prod", "robots"]) expect((await stat(join(folder, made))).mode & 0o777).toBe(0o700);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("a name that isn't found in one cluster isn't missing from any of 1 clusters", async () => {
    const { code, stderr } = await fleet.hub.cli(["get", "pod/web-9", "-n", namespace], { allowFailure: true });
    expect(stderr).toMatch(/There are no pods named 'web-9' that you can see in east\. \(CLI_OBJECT_NOT_FOUND\)/);
    expect(code).toBe(4);
  });
});

async function run(...args: string[]): Promise<string> {
  return (await fleet.hub.cli(args)).stdout;
}

function list(kind: string, ...args: string[]): Promise<string> {
  return run("get", kind, "-n", namespace, ...args);
}

async function directly(args: readonly string[]): Promise<string> {
  return (await fleet.cluster.kubectl(["--namespace", namespace, ...args])).stdout;
}

/** Cells are two spaces or more apart; blanks between two columns don't show here. */
function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd().split(/ {2,}/));
}
