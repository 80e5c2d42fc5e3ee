import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command as Run } from "@fairlead/contract";
import { until } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, makeCluster, startContractHub } from "../../testing/hub.fixture.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";

const at = new Date(hubNow - 60_000).toISOString();

function makeRun(more: Partial<Run> & { readonly history?: unknown[]; readonly result?: unknown } = {}): object {
  return {
    id: "cmd_1",
    cluster: "east",
    kind: "manifests",
    target: "manifests/shop/web",
    namespace: "shop",
    dryRun: false,
    state: "queued",
    requester: "alice",
    priority: 5,
    createdAt: at,
    deadlineAt: at,
    claims: 0,
    logBytes: 0,
    history: [],
    ...more,
  };
}

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { labels: { env: "prod" } }));
  hub.clusters.set("west", makeCluster("west", { labels: { env: "test" } }));
  const asked: Record<string, unknown>[] = [];
  hub.routes.set("POST /api/v1/commands", (body) => {
    const request = JSON.parse(body) as Record<string, unknown>;
    asked.push(request);
    const cluster = String(request["cluster"]);
    return { status: 201, body: makeRun({ id: `cmd_${cluster}`, cluster }) };
  });
  const set = join(cli.home, "set.yaml");
  await writeFile(join(cli.home, "a.yaml"), "kind: A\n");
  await writeFile(join(cli.home, "b.yaml"), "kind: B\n");
  await writeFile(set, "set: web\nnamespace: shop\nprune: true\nfiles: [a.yaml, b.yaml]\n");
  return { hub, cli, set, asked, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("a release is sent with the chart that lies beside it, and only text is sent", async () => {
  await using here = await signedIn();
  const folder = join(here.cli.home, "chart");
  await mkdir(join(folder, "templates"), { recursive: true });
  await mkdir(join(folder, ".git"));
  await writeFile(join(folder, "Chart.yaml"), "name: web\n");
  await writeFile(join(folder, "templates", "a.yaml"), "kind: A\n");
  await writeFile(join(folder, ".git", "config"), "");
  const file = join(here.cli.home, "release.yaml");
  await writeFile(file, "release: web\nchart: {folder: ./chart}\nvalues: {a: 1}\n");
  const { code } = await here.cli.run(["run", "helm", "-f", file, "--cluster", "east"]);
  const files = { "Chart.yaml": "name: web\n", "templates/a.yaml": "kind: A\n" };
  expect([code, here.asked]).toMatchObject([
    0,
    [{ kind: "helm", spec: { release: "web", chart: { files }, values: { a: 1 } } }],
  ]);
  await writeFile(join(folder, "sub.tgz"), Buffer.from([0x1f, 0x8b, 0xff]));
  const refused = await here.cli.run(["run", "helm", "-f", file, "--cluster", "east"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("sub.tgz isn't text")]);
  await writeFile(file, "release: web\nchart: {folder: ./none}\n");
  expect((await here.cli.run(["run", "helm", "-f", file, "--cluster", "east"])).stderr).toMatch(
    /The folder \S+ doesn't exist\./,
  );
});

test("a set is sent with the files that it names, to the clusters that are meant", async () => {
  await using here = await signedIn();
  const args = ["run", "manifests", "-f", here.set, "--cluster", "east", "--deadline", "30m"];
  const { code, stdout } = await here.cli.run([...args, "--key", "build-7"]);
  expect([code, here.asked]).toEqual([
    0,
    [
      {
        cluster: "east",
        kind: "manifests",
        deadlineSeconds: 1_800,
        idempotencyKey: "build-7/east",
        spec: { set: "web", namespace: "shop", prune: true, manifests: "kind: A\n\n---\nkind: B\n" },
      },
    ],
  ]);
  expect(stdout).toMatch(/^cmd_east +east +manifests +manifests\/shop\/web +queued/m);
  await here.cli.run(["run", "manifests", "-f", here.set, "--cluster", "east", "--cluster", "west"]);
  expect(here.asked.slice(1).map(({ cluster }) => cluster)).toEqual(["east", "west"]);
  const keys = here.asked.map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(3);
});

test("a flow is sent with the files of its sets, and as whom it is to run", async () => {
  await using here = await signedIn();
  const flow = join(here.cli.home, "flow.yaml");
  const wait = "{apiVersion: v1, kind: Pod, name: x, until: ready}";
  const step = "{id: apply, manifests: {set: web, files: [a.yaml, b.yaml]}}";
  await writeFile(flow, `name: release\nsteps: [${step}, {id: seen, wait: ${wait}}]\n`);
  const args = ["run", "flow", "-f", flow, "--cluster", "east", "--service-account", "team/deployer"];
  expect((await here.cli.run(args)).code).toBe(0);
  expect(here.asked).toMatchObject([
    {
      kind: "flow",
      serviceAccount: "team/deployer",
      spec: {
        name: "release",
        steps: [
          { id: "apply", manifests: { set: "web", manifests: "kind: A\n\n---\nkind: B\n" } },
          { id: "seen", wait: { apiVersion: "v1", kind: "Pod", name: "x", until: "ready" } },
        ],
      },
    },
  ]);
  for (const stdin of ["name: x", "{steps: [{id: a, manifests: {set: a}}]}", "[]"])
    expect((await here.cli.run(["run", "flow", "-f", "-", "--cluster", "east"], { stdin })).code).toBe(2);
});

test.each([
  ["nowhere", ["-f", "SET"]],
  ["in two ways", ["-f", "SET", "--cluster", "east", "--all-clusters"]],
  ["with a priority that isn't one", ["-f", "SET", "--cluster", "east", "--priority", "10"]],
  ["of both kinds", ["-f", "-", "--cluster", "east"], "{set: a, manifests: '', files: [a]}"],
  ["without manifests", ["-f", "-", "--cluster", "east"], "{set: a}"],
  ["that is no YAML", ["-f", "-", "--cluster", "east"], "{set: a"],
  ["that is a list", ["-f", "-", "--cluster", "east"], "[]"],
])("what is typed %s is refused before the hub is asked", async (_name, args, stdin = "") => {
  await using here = await signedIn();
  const typed = args.map((arg) => (arg === "SET" ? here.set : arg));
  const { code, stderr } = await here.cli.run(["run", "manifests", ...typed], { stdin });
  expect([code, here.asked]).toEqual([2, []]);
  expect(stderr).toContain("CLI_USAGE");
});

test("waiting shows logs by cluster and ends with a code that says how it went", async () => {
  await using here = await signedIn();
  for (const cluster of ["east", "west"]) {
    const trouble = { code: "KUBE_FORBIDDEN", message: "Not allowed.\u001b[2J", hint: "Ask." };
    const isWell = cluster === "east";
    const state = isWell ? "succeeded" : "failed";
    here.hub.routes.set(`GET /api/v1/commands/cmd_${cluster}/log?offset=0&follow=true`, () => ({
      status: 200,
      lines: ["one\ttwo", "\u001b[2Jthree"],
    }));
    here.hub.routes.set(`GET /api/v1/commands/cmd_${cluster}`, () => ({
      status: 200,
      body: makeRun({ id: `cmd_${cluster}`, cluster, state, finishedAt: at, ...(isWell ? {} : { trouble }) }),
    }));
  }
  const { code, stdout, stderr } = await here.cli.run([
    "run",
    "manifests",
    "-f",
    here.set,
    "--cluster",
    "east",
    "--cluster",
    "west",
    "--follow",
  ]);
  expect(stdout.split("\n").sort()).toEqual(
    [
      "east | one\ttwo",
      "east | �[2Jthree",
      "east: succeeded (cmd_east)",
      "west | one\ttwo",
      "west | �[2Jthree",
      "west: failed (cmd_west)",
      "  Not allowed.�[2J (KUBE_FORBIDDEN)",
      "  Ask.",
      "",
    ].sort(),
  );
  expect([code, stderr]).toEqual([10, expect.stringContaining("1 of 2 runs didn't succeed. (CLI_RUN_UNSUCCESSFUL)")]);
});

test("a log that is cut goes on at its byte, until the run has ended", async () => {
  const asked: (number | undefined)[] = [];
  const parts = ["ab", "cé", ""];
  const hub = {
    async *readCommandLog(_id: string, query: { readonly offset?: number | undefined } = {}) {
      asked.push(query.offset);
      yield Buffer.from(parts.shift() ?? "");
    },
    getCommand: async () => (parts.length === 0 ? makeRun({ finishedAt: at }) : makeRun()) as never,
  };
  let text = "";
  const signal = new AbortController().signal;
  const live = async (): Promise<never> => {
    throw new Error("there is no live socket here");
  };
  for await (const bytes of followRun({ hub, live, wantsLog: true, id: "cmd_1", signal, remark: () => undefined }))
    text += bytes.toString();
  expect([text, asked]).toEqual(["abcé", [0, 2, 5]]);
});

test("a log that is followed comes on the live socket, from the byte where it was cut, with how the run comes along", async () => {
  await using here = await signedIn();
  here.hub.live.knowsRuns = true;
  const ended = makeRun({ state: "succeeded", finishedAt: at, history: [] }) as Run;
  here.hub.routes.set("GET /api/v1/commands/cmd_east", () => ({ status: 200, body: { ...ended, id: "cmd_east" } }));
  const args = ["run", "manifests", "-f", here.set, "--cluster", "east", "--follow"];
  const done = here.cli.run(args);
  const log = (offset: number, text: string) =>
    ({ type: "log", id: "1", offset, data: Buffer.from(text).toString("base64") }) as const;
  const state = (name: Run["state"]) => ({ type: "run", id: "1", run: makeRun({ state: name }) as Run }) as const;

  const first = await here.hub.live.next();
  expect(await first.receive()).toEqual({ type: "follow-run", id: "1", run: "cmd_east", logFrom: 0 });
  await first.say(state("queued"), state("running"), log(0, "one\nt"));
  first.cut();
  const second = await here.hub.live.next();
  expect(await second.receive()).toMatchObject({ logFrom: 5 });
  await second.say(log(5, "wo\n"), { type: "ended", id: "1" });

  const { code, stdout, stderr } = await done;
  expect([code, stdout]).toEqual([0, "one\ntwo\neast: succeeded (cmd_east)\n"]);
  expect(stderr).toMatch(/^east: run cmd_east is queued\nCtrl-C [^\n]*\neast: running\n/);
  expect(here.hub.requests.filter(({ line }) => line.includes("/log"))).toEqual([]);
});

test("run says at once which run it waits for, why, until when, and what Ctrl-C leaves", async () => {
  await using here = await signedIn();
  here.hub.live.knowsRuns = true;
  const interrupted = new AbortController();
  const since = new Date(hubNow - 180_000).toISOString();
  const deadlineAt = new Date(hubNow + 23.5 * 3_600_000).toISOString();
  const waiting = { for: "cluster", clusterState: "offline", since };
  const run = makeRun({ id: "cmd_east", deadlineAt, history: [] });
  here.hub.routes.set("GET /api/v1/commands/cmd_east", () => ({ status: 200, body: { ...run, waiting } }));
  const args = ["run", "manifests", "-f", here.set, "--cluster", "east", "--wait"];
  const done = here.cli.run(args, { signal: interrupted.signal });
  const connection = await here.hub.live.next();
  await connection.receive();
  await until(() => here.hub.requests.some(({ line }) => line === "GET /api/v1/commands/cmd_east"), "it looks");
  await setTimeout(100);
  interrupted.abort();
  const { code, stderr } = await done;
  expect([code, stderr.split("\n")]).toEqual([
    130,
    [
      "east: run cmd_east is queued",
      "Ctrl-C stops only the waiting, and the run continues: see 'fairlead run get cmd_east', or end it by 'fairlead run cancel cmd_east'.",
      "east: queued: the cluster has been offline for 3m. The run expires in 23h unless an agent takes it.",
      "",
    ],
  ]);
  const { stdout } = await here.cli.run(["run", "get", "cmd_east"]);
  expect(stdout).toMatch(/^Waits: +the cluster has been offline for 3m$/m);
});

test.each([
  [{ for: "cluster", clusterState: "never-connected" }, "no agent of the cluster has connected yet"],
  [{ for: "agent" }, "none of the cluster's connected agents runs commands"],
  [{ for: "target", command: "cmd_0" }, "an earlier run with the same target hasn't ended (cmd_0)"],
  [{ for: "target" }, "an earlier run with the same target hasn't ended"],
  [{ for: "turn" }, "the cluster's agent hasn't taken it yet"],
] as const)("why a run waits: %j", async (waiting, text) => {
  await using here = await signedIn();
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: { ...makeRun(), waiting } }));
  expect((await here.cli.run(["run", "get", "cmd_1"])).stdout).toContain(`Waits:      ${text}\n`);
});

test("a run that one may not see any more ends what follows it", async () => {
  await using here = await signedIn();
  here.hub.live.knowsRuns = true;
  const done = here.cli.run(["run", "logs", "cmd_1", "--follow"]);
  const connection = await here.hub.live.next();
  await connection.receive();
  await connection.say({ type: "error", id: "1", code: "COMMAND_NOT_FOUND", message: "There is no such command." });
  const { code, stderr } = await done;
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining("COMMAND_NOT_FOUND")]);
});

test("timestamps with each line of a log, as it is and as it grows", async () => {
  await using here = await signedIn();
  here.hub.live.knowsRuns = true;
  here.hub.routes.set("GET /api/v1/commands/cmd_1/log?timestamps=true", () => ({
    status: 200,
    lines: ["2026-01-01T00:00:01.000Z one"],
  }));
  const whole = await here.cli.run(["run", "logs", "cmd_1", "--timestamps"]);
  expect(whole.stdout).toBe("2026-01-01T00:00:01.000Z one\n");
  const done = here.cli.run(["run", "logs", "cmd_1", "--timestamps", "--follow"]);
  const connection = await here.hub.live.next();
  expect(await connection.receive()).toEqual({
    type: "follow-run",
    id: "1",
    run: "cmd_1",
    logFrom: 0,
    timestamps: true,
  });
  const log = (offset: number, text: string, at: string) =>
    ({ type: "log", id: "1", offset, data: Buffer.from(text).toString("base64"), at }) as const;
  await connection.say(log(0, "one\nt", "2026-01-01T00:00:01.000Z"), log(5, "wo\nthree", "2026-01-01T00:00:02.000Z"), {
    type: "ended",
    id: "1",
  });
  expect((await done).stdout.split("\n")).toEqual([
    "2026-01-01T00:00:01.000Z one",
    "2026-01-01T00:00:01.000Z two",
    "2026-01-01T00:00:02.000Z three",
    "",
  ]);
});

test("a character that is split between two pieces stays whole, and so does a last line without an end", () => {
  const printed: string[] = [];
  const printer = createLogPrinter({ prefix: "> ", print: (text) => void printed.push(text) });
  const bytes = Buffer.from("é1\r\né2");
  for (const byte of bytes) printer.write(Buffer.of(byte));
  printer.end();
  expect(printed.join("")).toBe("> é1\n> é2\n");
});

test("runs are listed by what is asked for, and one is shown with its history and result", async () => {
  await using here = await signedIn();
  const path = "GET /api/v1/commands?cluster=east%2Cwest&state=failed&requester=alice&limit=2";
  here.hub.routes.set(path, () => ({ status: 200, body: { items: [makeRun({ state: "failed" })], next: "7" } }));
  const next = "GET /api/v1/commands?cluster=east%2Cwest&state=failed&requester=alice&cursor=7&limit=1";
  const query = next.slice(next.indexOf("?") + 1).split("&");
  here.hub.routes.set(next, () => ({ status: 200, body: { items: [makeRun({ id: "cmd_0", state: "failed" })] } }));
  const args = [
    "run",
    "list",
    "--cluster",
    "east",
    "--cluster",
    "west",
    "--state",
    "failed",
    "--user",
    "alice",
    "--limit",
    "2",
  ];
  const { stdout } = await here.cli.run([...args, "--json"]);
  expect(query.length).toBe(5);
  expect((JSON.parse(stdout) as { items: Run[] }).items.map(({ id }) => id)).toEqual(["cmd_1", "cmd_0"]);

  const history = [{ at, actor: "agent \u001b", from: "queued", to: "claimed" }];
  const shown = makeRun({ state: "succeeded", history, result: { objects: [{ kind: "Pod", did: "created" }] } });
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: shown }));
  const { stdout: text } = await here.cli.run(["run", "get", "cmd_1"]);
  expect(text).toMatch(/^State: +succeeded$/m);
  expect(text).toContain("claimed  agent �");
  expect(text).toMatch(/^ {4}- kind: Pod$/m);
});

test("a run is cancelled and repeated, and its log goes to a file as it is", async () => {
  await using here = await signedIn();
  here.hub.routes.set("POST /api/v1/commands/cmd_1/cancel", () => ({
    status: 200,
    body: makeRun({ state: "running", cancellation: "graceful" }),
  }));
  here.hub.routes.set("POST /api/v1/commands/cmd_1/retry", () => ({
    status: 201,
    body: makeRun({ id: "cmd_2", retryOf: "cmd_1" }),
  }));
  here.hub.routes.set("GET /api/v1/commands/cmd_1/log", () => ({ status: 200, lines: ["\u001b[1mraw"] }));
  expect((await here.cli.run(["run", "cancel", "cmd_1"])).stdout).toBe("cmd_1 is running, to be cancelled.\n");
  expect((await here.cli.run(["run", "retry", "cmd_1"])).stdout).toBe("cmd_2 repeats cmd_1.\n");
  expect((await here.cli.run(["run", "logs", "cmd_1"])).stdout).toBe("\u001b[1mraw\n");
});
