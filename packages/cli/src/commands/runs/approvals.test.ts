import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { type ContractHub, hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import { toApprovals } from "./approval-options.ts";
import { createRunTeller } from "./tell-of-run.ts";

const at = new Date(hubNow - 60_000).toISOString();
const digest = "d".repeat(64);
const waiting = {
  id: "cmd_1",
  cluster: "east",
  kind: "manifests",
  target: "manifests/shop/web",
  namespace: "shop",
  dryRun: false,
  state: "awaiting-approval",
  requester: "alice",
  priority: 5,
  createdAt: at,
  deadlineAt: at,
  claims: 1,
  logBytes: 0,
  history: [],
  approval: { required: 2, given: 1, fourEyes: true, digest, until: at },
  approvals: [{ by: "carol", at }],
  plan: { objects: [{ kind: "ConfigMap", name: "web\u001b[2J", did: "created" }] },
};

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: waiting }));
  const asked = { approve: answers(hub, "approve", "approved"), reject: answers(hub, "reject", "rejected") };
  return { hub, cli, asked, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

function answers(hub: ContractHub, what: string, state: string): unknown[] {
  const asked: unknown[] = [];
  hub.routes.set(`POST /api/v1/commands/cmd_1/${what}`, (body) => {
    asked.push(JSON.parse(body));
    return { status: 200, body: { ...waiting, state } };
  });
  return asked;
}

test("a plan is approved by the digest that somebody has looked at", async () => {
  await using here = await signedIn();
  const { code, stdout } = await here.cli.run(["run", "approve", "cmd_1", "--digest", digest, "-m", "go"]);
  expect([code, stdout]).toEqual([0, "cmd_1 is approved.\n"]);
  expect(here.asked.approve).toEqual([{ digest, comment: "go" }]);
});

test("without a digest it is shown and asked about on a terminal, and refused where there is none", async () => {
  await using here = await signedIn();
  const refused = await here.cli.run(["run", "approve", "cmd_1"]);
  expect([refused.code, here.asked.approve]).toEqual([2, []]);
  expect(refused.stderr).toContain("CLI_DIGEST_NEEDED");
  const no = await here.cli.run(["run", "approve", "cmd_1"], { isTTY: true, stdin: "n\n" });
  expect([no.code, here.asked.approve]).toEqual([1, []]);
  const yes = await here.cli.run(["run", "approve", "cmd_1"], { isTTY: true, stdin: "y\n" });
  expect(yes.stderr).toContain("did: created");
  expect(yes.stderr).not.toContain("web\u001b");
  expect(yes.stderr).toContain("Approve this plan of cmd_1, for manifests/shop/web in east? [y/N]");
  expect([yes.code, here.asked.approve]).toEqual([0, [{ digest }]]);
});

test("what doesn't wait for approval isn't asked about", async () => {
  await using here = await signedIn();
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: { ...waiting, state: "running" } }));
  const { code, stderr } = await here.cli.run(["run", "approve", "cmd_1"], { isTTY: true, stdin: "y\n" });
  expect([code, here.asked.approve]).toEqual([5, []]);
  expect(stderr).toContain("CLI_NOTHING_TO_APPROVE");
});

const held = {
  ...waiting,
  state: "awaiting-plan-approval",
  plan: undefined,
  approval: undefined,
  approvals: undefined,
  spec: { set: "web\u001b[2J", manifests: "kind: ConfigMap" },
  proposal: { isVouched: false, planApprovedBy: [], held: { code: "X", message: "It brings code." }, until: at },
};

test("a proposal is shown and approved to be planned", async () => {
  await using here = await signedIn();
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: held }));
  const asked = answers(here.hub, "approve-plan", "queued");
  const plain = await here.cli.run(["run", "approve", "cmd_1"], { isTTY: true, stdin: "y\n" });
  expect([plain.code, asked, here.asked.approve]).toEqual([5, [], []]);
  expect(plain.stderr).toContain("CLI_APPROVE_TO_PLAN");
  const toPlan = ["run", "approve", "cmd_1", "--to-plan"];
  const unasked = await here.cli.run(toPlan);
  expect([unasked.code, asked]).toEqual([2, []]);
  expect((await here.cli.run([...toPlan, "--digest", digest, "--yes"])).code).toBe(2);
  const no = await here.cli.run(toPlan, { isTTY: true, stdin: "n\n" });
  expect([no.code, asked]).toEqual([1, []]);
  const yes = await here.cli.run([...toPlan, "-m", "go"], { isTTY: true, stdin: "y\n" });
  expect(yes.stderr).toContain("kind: ConfigMap");
  expect(yes.stderr).not.toContain("web\u001b");
  expect([yes.code, yes.stdout, asked]).toEqual([0, "cmd_1 is queued, to be planned.\n", [{ comment: "go" }]]);
  expect((await here.cli.run([...toPlan, "--yes"])).code).toBe(0);
});

test("what doesn't wait to be planned isn't approved to be", async () => {
  await using here = await signedIn();
  const asked = answers(here.hub, "approve-plan", "queued");
  const { code, stderr } = await here.cli.run(["run", "approve", "cmd_1", "--to-plan", "--yes"]);
  expect([code, asked]).toEqual([5, []]);
  expect(stderr).toContain("CLI_NOTHING_TO_APPROVE");
});

test("a proposal that is held back is listed and shown as that, with why and how to answer", async () => {
  await using here = await signedIn();
  here.hub.routes.set("GET /api/v1/commands/cmd_1", () => ({ status: 200, body: held }));
  here.hub.routes.set("GET /api/v1/commands?limit=50", () => ({ status: 200, body: { items: [held] } }));
  const runs = await here.cli.run(["run", "list"]);
  expect(runs.stdout).toContain("awaiting-plan-approval");
  expect(runs.stderr).toContain("fairlead run approve RUN");
  const { stdout } = await here.cli.run(["run", "get", "cmd_1"]);
  expect(stdout).toMatch(/^Held back: +It brings code. \(X\)$/m);
  expect(stdout).toContain("waits for somebody who may create such runs to approve planning it");
  expect(stdout).toContain("fairlead run approve cmd_1 --to-plan");
});

test("a plan is rejected with what is to be mended", async () => {
  await using here = await signedIn();
  const { stdout } = await here.cli.run(["run", "reject", "cmd_1", "-m", "the image is wrong"]);
  expect([stdout, here.asked.reject]).toEqual(["cmd_1 is rejected.\n", [{ comment: "the image is wrong" }]]);
});

test("a run that waits for approval is listed and shown as that, with its plan and how to answer", async () => {
  await using here = await signedIn();
  const list = { items: [waiting] };
  here.hub.routes.set("GET /api/v1/commands?limit=50", () => ({ status: 200, body: list }));
  const runs = await here.cli.run(["run", "list"]);
  expect(runs.stdout).toContain("awaiting-approval (1 of 2)");
  expect(runs.stderr).toContain("fairlead run approve RUN");
  const { stdout } = await here.cli.run(["run", "get", "cmd_1"]);
  expect(stdout).toMatch(/^Approvals: +1 of 2, by carol$/m);
  expect(stdout).toContain(digest);
  expect(stdout).toMatch(/^ {4}- kind: ConfigMap$/m);
  expect(stdout).toContain("waits for 1 of 2 people to approve the plan");
  expect(stdout).not.toContain("\u001b");
});

test("who waits for a run hears that it waits for approval, and how that is given", () => {
  const remarks: string[] = [];
  const note = (text: string): void => void remarks.push(text);
  const tell = createRunTeller({ output: { safe: String, notice: note, remark: note } } as never);
  const run = (state: string, given: number) =>
    ({ ...waiting, state, approval: { ...waiting.approval, given } }) as never;
  for (const state of ["queued", "claimed", "running"]) tell(run(state, 0));
  for (const given of [0, 0, 1]) tell(run("awaiting-approval", given));
  expect(remarks).toEqual([
    "east: queued",
    "east: running",
    expect.stringContaining("east: waits for 2 of 2 people to approve the plan"),
    expect.stringContaining("east: waits for 1 of 2 people to approve the plan"),
  ]);
  expect(remarks[2]).toContain("fairlead run reject cmd_1");
});

test.each([
  [{}, undefined],
  [{ approval: true }, {}],
  [
    { approval: true, approvers: 2, ownApproval: true, approvalTime: 90_500 },
    { required: 2, fourEyes: false, seconds: 91 },
  ],
])("options %j ask for %j", (options, expected) => {
  expect(toApprovals(options)).toEqual(expected);
});

test("what it takes to approve isn't said of a run that nobody has to approve", () => {
  for (const options of [{ approvers: 2 }, { ownApproval: true }, { approvalTime: 1 }])
    expect(() => toApprovals(options)).toThrow("--approval");
});
