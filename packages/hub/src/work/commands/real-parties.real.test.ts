// The same with accounts, robots, tokens and bindings as people have them: who counts as whom, and who may what still.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "../../people/access/access-harness.fixture.ts";
import type { Principal } from "../../people/access/index.ts";
import { openProposingHub, type ProposingHub } from "./proposals-harness.fixture.ts";

let people: AccessHarness;
let harness: ProposingHub;
let cluster = "";
const parties = new Map<string, Principal>();
/** By name: its latest binding, and its token. */
const bindings = new Map<string, string>();
const tokens = new Map<string, string>();

beforeAll(async () => {
  people = await startAccess();
  harness = await openProposingHub({
    access: people.access,
    principalOf: (name) => parties.get(name) ?? expect.fail(`nobody is ${name}`),
  });
  const admin = (line: string, body?: object) => people.call(people.adminToken, line, body);
  const rule = (...verbs: string[]) => ({ verbs: [...verbs, "get", "list", "update"], resources: ["commands/*"] });
  for (const [name, ...rules] of [
    ["proposer", rule("propose")],
    ["creator", rule("create")],
    ["approver", rule("approve")],
    ["maker", { verbs: ["create"], resources: ["robots", "robots/tokens"] }],
  ] as const)
    await admin(`PUT /api/v1/roles/${name}`, { hubRules: rules, clusterRules: [], groups: [] });
  for (const name of ["ana", "ben", "cleo"]) {
    await people.signIn(name);
    await give(name, "maker");
  }
  await give("ana", "proposer");
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

beforeEach(async () => {
  cluster = await harness.newCluster();
  people.labels.set(cluster, {});
  for (const name of ["ana", "ben", "cleo"]) parties.set(name, (await people.signIn(name)).principal);
});

async function give(name: string, role: string): Promise<void> {
  bindings.set(name, await people.bind("user", name, role, "*"));
}

const take = (name: string) => people.call(people.adminToken, `DELETE /api/v1/bindings/${bindings.get(name)}`);

/** Another one for each test, made by this person, and by nobody for the admin token. */
let count = 0;
async function makeRobot(by: string | undefined, role: string, tokenBy = by): Promise<string> {
  const name = `rob-${++count}`;
  const tokenOf = async (person: string | undefined) =>
    person === undefined ? people.adminToken : (await people.signIn(person)).token;
  expect((await people.call(await tokenOf(by), "POST /api/v1/robots", { name })).status).toBe(201);
  const made = await people.call(await tokenOf(tokenBy), `POST /api/v1/robots/${name}/tokens`, { ttlMs: 60_000 });
  expect(made.status).toBe(201);
  const principal = await people.access.authenticate(`Bearer ${made.body.token}`);
  parties.set(name, principal);
  tokens.set(name, principal.tokenId ?? "");
  const { status, body } = await people.call(people.adminToken, "POST /api/v1/bindings", {
    subject: { kind: "robot", name },
    role,
    clusters: { all: true },
  });
  expect(status).toBe(201);
  bindings.set(name, body.id);
  return name;
}

const revoke = (robot: string) =>
  people.call(people.adminToken, `DELETE /api/v1/robots/${robot}/tokens/${tokens.get(robot)}`);

async function submitPlanned(user = "ana", approvals: object = {}): Promise<string> {
  const { id } = await harness.submit(user, { approvals });
  await harness.claim();
  await harness.tellPlan(id);
  return id;
}

async function submitHeld(user = "ana"): Promise<string> {
  const { id } = await harness.submit(user);
  await harness.claim();
  await harness.hold(id);
  return id;
}

const stateOf = async (id: string) => (await harness.hub.ask("GET", `/api/v1/commands/${id}`, undefined, "admin")).json;
beforeAll(async () => void parties.set("admin", await people.access.authenticate(`Bearer ${people.adminToken}`)));

describe("approval of planning", () => {
  const isRequester = "COMMAND_APPROVER_IS_REQUESTER";

  it.each([
    ["another person who may create", giveBen, undefined],
    ["another person's robot", () => makeRobot("ben", "creator"), undefined],
    ["a robot of the admin token", () => makeRobot(undefined, "creator"), undefined],
    ["the requester's robot", () => makeRobot("ana", "creator"), isRequester],
    [
      "a robot of the admin token whose token the requester made",
      () => makeRobot(undefined, "creator", "ana"),
      isRequester,
    ],
    ["another person's robot that may only approve", () => makeRobot("ben", "approver"), "ACCESS_DENIED"],
    ["another person's robot that may only propose", () => makeRobot("ben", "proposer"), "ACCESS_DENIED"],
  ] as const)("by %s", async (_, who, code) => {
    const id = await submitHeld();
    const { status, json } = await harness.decide(id, "approve-plan", await who());
    expect([status, json.code]).toEqual(code === undefined ? [200, undefined] : [403, code]);
    expect((await harness.claim()).map((one) => one.id)).toEqual(code === undefined ? [id] : []);
    await take("ben");
  });

  async function giveBen(): Promise<string> {
    await give("ben", "creator");
    return "ben";
  }

  it("by who made the requesting robot, or another robot of theirs", async () => {
    const id = await submitHeld(await makeRobot("ben", "proposer"));
    await give("ben", "creator");
    expect((await harness.decide(id, "approve-plan", "ben")).json.code).toBe(isRequester);
    expect((await harness.decide(id, "approve-plan", await makeRobot("ben", "creator"))).json.code).toBe(isRequester);
    expect((await harness.decide(id, "approve-plan", await makeRobot("cleo", "creator"))).status).toBe(200);
    await take("ben");
  });
});

describe("approval of a plan", () => {
  it("counts once for a person and all robots of theirs", async () => {
    await give("ben", "approver");
    const id = await submitPlanned("ana", { required: 2 });
    expect((await harness.decide(id, "approve", await makeRobot("ben", "approver"))).status).toBe(200);
    for (const again of ["ben", await makeRobot("ben", "approver"), await makeRobot(undefined, "approver", "ben")])
      expect((await harness.decide(id, "approve", again)).json.code).toBe("COMMAND_APPROVED_BEFORE");
    expect((await harness.decide(id, "approve", await makeRobot("cleo", "approver"))).json.state).toBe("approved");
    await take("ben");
  });

  it.each([
    ["whose binding was taken away", (robot: string) => take(robot)],
    ["whose token was revoked", (robot: string) => revoke(robot)],
    ["whose account was removed", (robot: string) => people.call(people.adminToken, `DELETE /api/v1/robots/${robot}`)],
  ])("by a robot %s doesn't count any more", async (_, lose) => {
    const robot = await makeRobot("ben", "approver");
    const id = await submitPlanned();
    expect((await harness.decide(id, "approve", robot)).json.state).toBe("approved");
    await lose(robot);
    expect(await harness.claim()).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: "awaiting-approval", approval: { given: 0 }, approvals: [] });
  });

  it("by a robot whose token has ended by itself counts", async () => {
    const robot = await makeRobot("ben", "approver");
    const id = await submitPlanned();
    await harness.decide(id, "approve", robot);
    people.clock.move(60_001);
    expect(await harness.claim()).toMatchObject([{ id }]);
  });
});

describe("a command", () => {
  it.each([
    ["a robot whose binding was taken away", (robot: string) => take(robot)],
    ["a robot whose token was revoked", (robot: string) => revoke(robot)],
    [
      "a robot whose account was removed",
      (robot: string) => people.call(people.adminToken, `DELETE /api/v1/robots/${robot}`),
    ],
  ])("of %s ends before it begins", async (_, lose) => {
    const robot = await makeRobot("ben", "proposer");
    const id = await submitPlanned(robot);
    await harness.decide(id, "approve", await makeRobot("cleo", "approver"));
    await lose(robot);
    expect(await harness.claim()).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: "rejected", trouble: { code: "COMMAND_REQUESTER_UNFIT" } });
  });

  it("of a person who was removed ends at the approval", async () => {
    const id = await submitPlanned();
    await people.call(people.adminToken, "DELETE /api/v1/users/ana");
    expect((await harness.decide(id, "approve", await makeRobot("cleo", "approver"))).json).toMatchObject({
      state: "rejected",
      trouble: { code: "COMMAND_REQUESTER_UNFIT" },
    });
  });
});
