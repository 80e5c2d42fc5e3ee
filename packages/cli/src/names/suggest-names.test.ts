import { FairleadError, toProblem } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { makeCluster } from "../testing/hub.fixture.ts";
import { signedIn } from "../testing/signed-in.fixture.ts";

async function asking() {
  const signed = await signedIn();
  const { hub } = signed;
  for (const name of ["east", "west"]) hub.clusters.set(name, makeCluster(name));
  const answer = (line: string, body: object): unknown => hub.routes.set(line, () => ({ status: 200, body }));
  const refuse = (line: string, status = 404): unknown => {
    const error = new FairleadError({ code: "NOT_THERE", message: "There is no such thing.", httpStatus: status });
    return hub.routes.set(line, () => ({ status, body: toProblem(error, { requestId: "req_1" }) }));
  };
  return { ...signed, answer, refuse, [Symbol.asyncDispose]: () => signed[Symbol.asyncDispose]() };
}

const at = "2026-05-06T07:00:00.000Z";
const robot = { name: "ci", createdAt: at, ttlMs: 1, tokens: [] };
const changed = { changedBy: "alice", changedAt: at };
const template = { name: "web", kind: "manifests", clusters: { all: true }, revision: 1, ...changed };
const role = { name: "viewer", isBuiltIn: true, hubRules: [], clusterRules: [], groups: [] };
const run = {
  id: "cmd_3h7k00000000000000000000aa",
  cluster: "east",
  kind: "manifests",
  target: "t",
  namespace: "shop",
  dryRun: false,
  state: "succeeded",
  requester: "alice",
  priority: 5,
  createdAt: at,
  deadlineAt: at,
  claims: 1,
  logBytes: 0,
};

test.each<[args: string, told: string]>([
  ["cluster get eest", "eest: did you mean east?"],
  ["cluster get esat -o json", "esat: did you mean east?"],
  [
    "run cancel cmd_3h7k00000000000000000000ab",
    "cmd_3h7k00000000000000000000ab: did you mean cmd_3h7k00000000000000000000aa?",
  ],
  ["stack get shpo", "shpo: did you mean shop?"],
  ["schedule get nightli", "nightli: did you mean nightly?"],
  ["template get wbe", "wbe: did you mean web?"],
  ["access robot get c1", "c1: did you mean ci?"],
  ["access role delete viwer --yes", "viwer: did you mean viewer?"],
  ["access binding create viwer --user alice --cluster east", "viwer: did you mean viewer?"],
  ["get pods --cluster eest", "eest: did you mean east?"],
])("fairlead %s: %s", async (line, told) => {
  await using at = await asking();
  at.answer("GET /api/v1/commands?limit=50", { items: [run] });
  const stack = { name: "shop", owner: "alice", createdAt: run.createdAt, resources: 1 };
  at.answer("GET /api/v1/stacks?limit=500", { items: [stack] });
  const schedule = { name: "nightly", cron: "0 2 * * *", timeZone: "UTC", kind: "manifests", missed: "skip" };
  const more = { concurrencyPolicy: "Allow", paused: false, owner: "alice", createdAt: run.createdAt };
  at.answer("GET /api/v1/schedules", { items: [{ ...schedule, ...more }] });
  at.answer("GET /api/v1/templates", { items: [template] });
  at.answer("GET /api/v1/robots", { items: [robot] });
  at.answer("GET /api/v1/roles", { items: [role] });
  at.refuse("POST /api/v1/commands/cmd_3h7k00000000000000000000ab/cancel");
  for (const path of ["stacks/shpo", "schedules/nightli", "templates/wbe", "robots/c1"])
    at.refuse(`GET /api/v1/${path}`);
  at.refuse("DELETE /api/v1/roles/viwer");
  at.refuse("POST /api/v1/bindings", 422);
  at.refuse("GET /api/v1/objects?kind=pods&cluster=eest&sort=cluster&limit=500");

  const { code, stderr } = await at.cli.run(line.split(" "));

  expect(code).not.toBe(0);
  expect(stderr).toContain(told);
});

test("a name that is there, or is near none, keeps the hub's words", async () => {
  await using at = await asking();
  at.refuse("POST /api/v1/clusters/east/revoke");

  for (const line of ["cluster revoke east", "cluster get something-else"])
    expect((await at.cli.run(line.split(" "))).stderr).not.toContain("did you mean");
});

test("a hub that lists no names is no reason for another error", async () => {
  await using at = await asking();
  at.refuse("GET /api/v1/robots/c1");
  at.refuse("GET /api/v1/robots", 403);

  expect(await at.cli.run(["access", "robot", "get", "c1"])).toEqual({
    code: 4,
    stdout: "",
    stderr: "fairlead: There is no such thing. (NOT_THERE)\n",
  });
});

test("nothing is asked after an error of another kind", async () => {
  await using at = await asking();
  at.refuse("GET /api/v1/robots/c1", 403);

  await at.cli.run(["access", "robot", "get", "c1"]);

  expect(at.hub.requests.map(({ line }) => line)).toEqual(["GET /api/v1/robots/c1"]);
});
