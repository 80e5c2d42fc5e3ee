import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StackRunDetail, StackStep } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const at = new Date(hubNow - 60_000).toISOString();
const step = (place: number, name: string, more: Partial<StackStep> = {}): StackStep => ({
  place,
  name,
  action: "apply",
  cluster: "east",
  kind: "manifests",
  namespace: "shop",
  target: `manifests/${name}`,
  after: [],
  state: "waiting",
  ...more,
});
const makeRun = (more: Partial<StackRunDetail> = {}): StackRunDetail => ({
  id: "srun_1",
  stack: "shop",
  action: "apply",
  state: "running",
  requester: "alice",
  createdAt: at,
  version: 1,
  counts: { all: 2, waiting: 2, running: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 },
  steps: [step(1, "config"), step(2, "web", { after: [1] })],
  ...more,
});
const ended = (state: "succeeded" | "failed", steps: StackStep[]): StackRunDetail => {
  const succeeded = steps.filter((one) => one.state === "succeeded").length;
  return makeRun({ state, finishedAt: at, version: 9, steps, counts: { ...makeRun().counts, waiting: 0, succeeded } });
};
const succeeded = { state: "succeeded", command: "cmd_1" } as const;

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const asked: Record<string, unknown>[] = [];
  const begins = (action: string, first: Partial<StackRunDetail> = {}) =>
    hub.routes.set("POST /api/v1/stacks/shop/runs", (body) => {
      asked.push(JSON.parse(body) as Record<string, unknown>);
      return { status: 201, body: makeRun({ ...first, action: action as StackRunDetail["action"] }) };
    });
  const goes = (...seen: StackRunDetail[]) => {
    hub.routes.set("GET /api/v1/stacks/shop/runs/srun_1", () => ({
      status: 200,
      body: seen.length > 1 ? seen.shift() : seen[0],
    }));
  };
  const file = join(cli.home, "stack.yaml");
  await writeFile(join(cli.home, "config.yaml"), "kind: ConfigMap\n");
  await writeFile(
    file,
    `name: shop
resources:
  config: {cluster: east, kind: manifests, spec: {set: config, files: [config.yaml]}}
  web: {cluster: west, kind: manifests, spec: {set: web, manifests: "kind: A"}, dependsOn: [config]}
`,
  );
  return { hub, cli, file, asked, begins, goes, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("an apply sends what the file declares, says how each resource comes along, and ends well", async () => {
  await using here = await signedIn();
  here.begins("apply");
  const steps = [step(1, "config", succeeded), step(2, "web", { state: "running", command: "cmd_2" })];
  here.goes(
    makeRun({ version: 3, steps }),
    ended(
      "succeeded",
      steps.map((one) => ({ ...one, state: "succeeded" })),
    ),
  );
  const { code, stdout } = await here.cli.run(["stack", "apply", "-f", here.file, "--max-parallel", "3", "--key", "k"]);
  expect([code, stdout]).toEqual([
    0,
    [
      "apply config in east: succeeded (cmd_1)\n",
      "apply web in east: running (cmd_2)\n",
      "apply web in east: succeeded (cmd_2)\n",
      "apply of shop succeeded: 2 of 2 (srun_1)\n",
    ].join(""),
  ]);
  const config = { cluster: "east", kind: "manifests", spec: { set: "config", manifests: "kind: ConfigMap\n" } };
  expect(here.asked).toMatchObject([{ action: "apply", maxParallel: 3, idempotencyKey: "k", resources: { config } }]);
});

test("one that fails ends with 10 and says why, in JSON too", async () => {
  await using here = await signedIn();
  here.begins("apply");
  const trouble = { code: "KUBE_FORBIDDEN", message: "Not allowed.\u001b[2J", hint: "Ask." };
  here.goes(ended("failed", [step(1, "config", { state: "failed", trouble }), step(2, "web", { state: "skipped" })]));
  const { code, stdout, stderr } = await here.cli.run(["stack", "apply", "-f", here.file]);
  expect([code, stdout]).toEqual([10, expect.stringContaining("Not allowed.�[2J (KUBE_FORBIDDEN)\n  Ask.\n")]);
  expect(stderr).toContain("CLI_STACK_UNSUCCESSFUL");
  const inJson = await here.cli.run(["--json", "stack", "apply", "-f", here.file]);
  expect([inJson.code, JSON.parse(inJson.stdout)]).toMatchObject([10, { state: "failed", steps: [{ trouble }, {}] }]);
});

test("a plan shows what clusters say that each resource would do", async () => {
  await using here = await signedIn();
  here.begins("plan");
  here.goes({
    ...ended("succeeded", [step(1, "config", succeeded), step(2, "web", { state: "skipped" })]),
    action: "plan",
  });
  const command = {
    id: "cmd_1",
    cluster: "east",
    kind: "manifests",
    target: "t",
    namespace: "shop",
    dryRun: true,
    priority: 5,
    state: "succeeded",
    requester: "alice",
    createdAt: at,
    deadlineAt: at,
    claims: 1,
    logBytes: 0,
    history: [],
  };
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({
    status: 200,
    body: { ...command, result: { created: ["configmaps/shop/a"] } },
  }));
  const { code, stdout } = await here.cli.run(["stack", "plan", "-f", here.file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("apply config in east would:\n  created:\n    - configmaps/shop/a\n"),
  ]);
});

test.each([
  ["apply", "created", 1],
  ["apply", "unchanged", 0],
  ["destroy", "deleted", 1],
])("--dry-run of %s asks for a plan, and says by its exit code whether anything is %s", async (action, did, code) => {
  await using here = await signedIn();
  here.begins("plan");
  here.goes({ ...ended("succeeded", [step(1, "web", succeeded)]), action: "plan" });
  here.hub.routes.set("GET /api/v1/stacks/shop", () => ({
    status: 200,
    body: { name: "shop", owner: "alice", createdAt: at, resources: [], run: makeRun() },
  }));
  const command = { id: "cmd_1", cluster: "east", kind: "manifests", target: "t", namespace: "shop", dryRun: true };
  const times = { createdAt: at, deadlineAt: at, claims: 1, logBytes: 0, history: [], priority: 5 };
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({
    status: 200,
    body: { ...command, ...times, state: "succeeded", requester: "alice", result: { objects: [{ did }] } },
  }));

  const args = action === "apply" ? ["-f", here.file] : ["shop"];
  const result = await here.cli.run(["stack", action, ...args, "--dry-run"]);

  expect(result.code).toBe(code);
  expect(here.asked).toMatchObject([{ action: "plan", ...(action === "destroy" && { resources: {} }) }]);
  if (code === 0) expect(result.stderr).toContain("Nothing would change.\n");
});

test("a resource whose plan is known only later is a difference", async () => {
  await using here = await signedIn();
  here.begins("plan");
  here.goes({ ...ended("succeeded", [step(1, "web", { state: "skipped" })]), action: "plan" });

  expect((await here.cli.run(["stack", "apply", "-f", here.file, "--dry-run"])).code).toBe(1);
});

test("destroying needs a yes, and following shows logs", async () => {
  await using here = await signedIn();
  here.hub.routes.set("GET /api/v1/stacks/shop", () => ({
    status: 200,
    body: { name: "shop", owner: "alice", createdAt: at, resources: [], run: makeRun() },
  }));
  const refused = await here.cli.run(["stack", "destroy", "shop"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("CLI_CONFIRMATION_NEEDED")]);
  here.begins("destroy");
  here.goes({ ...ended("succeeded", [step(1, "web", { ...succeeded, action: "destroy" })]), action: "destroy" });
  here.hub.routes.set("GET /api/v1/commands/cmd_1/log?offset=0&follow=true", () => ({ status: 200, lines: ["gone"] }));
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({
    status: 200,
    body: {
      id: "cmd_1",
      cluster: "east",
      kind: "manifests",
      target: "t",
      namespace: "shop",
      dryRun: false,
      priority: 5,
      state: "succeeded",
      requester: "alice",
      createdAt: at,
      deadlineAt: at,
      finishedAt: at,
      claims: 1,
      logBytes: 5,
      history: [],
    },
  }));
  const { code, stdout } = await here.cli.run(["stack", "destroy", "shop", "--yes", "--follow"]);
  expect([code, here.asked]).toMatchObject([0, [{ action: "destroy" }]]);
  expect(stdout).toContain("web (east) | gone\n");
});

test("showing, listing and cancelling", async () => {
  await using here = await signedIn();
  const stack = { name: "shop", owner: "alice", createdAt: at, run: makeRun() };
  const resource = {
    name: "web",
    cluster: "east",
    kind: "manifests",
    namespace: "shop",
    target: "manifests/shop/web",
    action: "apply",
    outcome: "failed",
    command: "cmd_2",
    askedAt: at,
    dependsOn: ["config"],
  };
  here.hub.routes.set("GET /api/v1/stacks/shop", () => ({ status: 200, body: { ...stack, resources: [resource] } }));
  here.hub.routes.set("GET /api/v1/stacks?limit=500", () => ({
    status: 200,
    body: { items: [{ ...stack, resources: 1 }] },
  }));
  here.hub.routes.set("POST /api/v1/stacks/shop/runs/srun_1/cancel", () => ({
    status: 200,
    body: makeRun({ state: "cancelling" }),
  }));
  here.goes(makeRun());
  expect((await here.cli.run(["stack", "get", "shop"])).stdout).toMatch(
    /^web +east +manifests\/shop\/web +apply failed +\S+ +config$/m,
  );
  expect((await here.cli.run(["stack", "list"])).stdout).toMatch(/^shop +1 +apply running +alice$/m);
  expect((await here.cli.run(["stack", "cancel", "shop"])).stdout).toBe("srun_1 is cancelling.\n");
  here.hub.routes.set("GET /api/v1/stacks/shop", () => ({
    status: 200,
    body: { ...stack, run: ended("succeeded", []), resources: [] },
  }));
  expect((await here.cli.run(["stack", "cancel", "shop"])).stderr).toContain("CLI_STACK_IDLE");
});

test("what waits for approval says for whom, when the stack is shown and while it is waited for", async () => {
  await using here = await signedIn();
  const approval = { required: 1, given: 0, fourEyes: true, until: at };
  const steps = [step(1, "config", succeeded), step(2, "web", { state: "running", command: "cmd_2", approval })];
  const run = makeRun({ version: 3, steps });
  here.begins("apply");
  here.goes(run, run, ended("succeeded", [step(1, "config", succeeded), step(2, "web", succeeded)]));
  here.hub.routes.set("GET /api/v1/stacks/shop", () => ({
    status: 200,
    body: { name: "shop", owner: "alice", createdAt: at, run, resources: [] },
  }));
  const waits = `waits for somebody who didn't ask for it to approve the plan, until ${at}`;
  expect((await here.cli.run(["stack", "get", "shop"])).stdout).toMatch(
    new RegExp(`^web +east +apply +cmd_2 +${waits}$`, "m"),
  );
  const { code, stderr } = await here.cli.run(["stack", "apply", "-f", here.file]);
  expect([code, stderr.split(`east: ${waits}.\n`)]).toEqual([0, ["", expect.stringContaining("run approve cmd_2")]]);
});

test.each([
  ["no name", "resources: {}"],
  ["no resources", "name: shop"],
  ["something else", "name: shop\nresources: {}\nkind: Stack"],
  [
    "manifests in two ways",
    "name: a\nresources: {a: {cluster: b, kind: manifests, spec: {manifests: '', files: [a]}}}",
  ],
  ["files that are none", "name: a\nresources: {a: {cluster: b, kind: manifests, spec: {files: a}}}"],
  ["no YAML", "name: ["],
])("a file with %s is refused before the hub is asked", async (_what, stdin) => {
  await using here = await signedIn();
  const { code, stderr } = await here.cli.run(["stack", "apply", "-f", "-"], { stdin });
  expect([code, stderr, here.asked]).toEqual([2, expect.stringContaining("CLI_USAGE"), []]);
});
