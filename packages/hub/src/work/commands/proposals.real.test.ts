// What people propose who may not create: an agent holds it back, and people decide whether it is planned at all.
import { approvalEnvelopeType, envelopeType, proposalEnvelopeType } from "@fairlead/protocol";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { openProposalsHarness, type ProposalsHarness } from "./proposals-harness.fixture.ts";

let harness: ProposalsHarness;
let cluster: string;
beforeAll(async () => {
  harness = await openProposalsHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = await harness.newCluster();
  harness.access.give("alice", "propose *", "update *");
  harness.access.give("bob", "create *");
  harness.access.give("cleo", "approve *");
});

async function submitHeld(more: object = {}): Promise<string> {
  const { id } = await harness.submit("alice", more);
  await harness.claim();
  expect(await harness.hold(id)).toMatchObject({ accepted: true });
  return id;
}

describe("what is a proposal", () => {
  const dryRun = { approvals: undefined, dryRun: true };
  const flow = { kind: "flow", spec: { name: "f", steps: [{ id: "a", manifests: { set: "web", manifests: "" } }] } };

  it.each([
    ["what a proposer asks for", ["propose *"], {}, proposalEnvelopeType],
    ["a dry run of a proposer", ["propose *"], dryRun, proposalEnvelopeType],
    [
      "a flow with a step that its requester may only propose",
      ["create flow", "propose manifests"],
      flow,
      proposalEnvelopeType,
    ],
    ["a dry run of such a flow", ["create flow", "propose manifests"], { ...flow, ...dryRun }, proposalEnvelopeType],
    ["what somebody asks for who may create it, too", ["propose *", "create *"], {}, approvalEnvelopeType],
    ["a dry run of somebody who may create", ["create *"], dryRun, envelopeType],
    ["a flow whose steps its requester may create", ["create *"], flow, approvalEnvelopeType],
  ])("%s", async (_, rights, request, typ) => {
    harness.access.give("dan", ...rights);
    const { id } = await harness.submit("dan", request);
    const [claimed] = await harness.claim();
    expect(claimed).toMatchObject({ id, typ });
    const proposal = typ === proposalEnvelopeType ? { isVouched: false, planApprovedBy: [] } : undefined;
    expect(claimed?.envelope["proposal"]).toEqual(proposal);
    expect((await harness.hub.get(id)).proposal).toEqual(proposal);
    await harness.report(id, 1n, "succeeded");
  });

  it("is decided when it is asked for, whatever rights its requester gets later", async () => {
    const { id } = await harness.submit("alice");
    harness.access.give("alice", "create *");
    expect(await harness.claim()).toMatchObject([{ id, typ: proposalEnvelopeType }]);
  });

  it("needs the same key for the same request, whatever rights its requester gets later", async () => {
    const key = { idempotencyKey: cluster };
    const { id } = await harness.submit("alice", key);
    harness.access.give("alice", "create *");
    expect((await harness.submit("alice", key)).id).toBe(id);
  });
});

describe("a proposal that its agent holds back", () => {
  it("waits for somebody who may create, is planned, approved and applied, and its history says by whom", async () => {
    const id = await submitHeld();
    const held = { code: "PLAN_APPROVAL_NEEDED", message: "It brings code." };
    const shown = await harness.hub.get(id);
    expect(shown).toMatchObject({ state: "awaiting-plan-approval", proposal: { isVouched: false, held } });
    expect(Date.parse(shown.proposal?.until ?? "") - Date.now()).toBeGreaterThan(86_000_000);
    expect([shown.trouble, shown.approval?.until]).toEqual([undefined, undefined]);
    expect(await harness.claim()).toEqual([]);
    expect((await harness.decide(id, "approve-plan", "bob")).json).toMatchObject({ state: "queued" });
    const [planning] = await harness.claim();
    expect(planning).toMatchObject({ id, epoch: 2n, envelope: { proposal: { planApprovedBy: ["bob"] } } });
    expect(planning?.envelope["approval"]).toMatchObject({ is: "needed" });
    await harness.tellPlan(id, 2n);
    expect((await harness.decide(id, "approve", "cleo")).json).toMatchObject({ state: "approved" });
    const [applying] = await harness.claim();
    expect(applying).toMatchObject({ id, epoch: 3n, typ: proposalEnvelopeType });
    expect(applying?.envelope).toMatchObject({ approval: { is: "given" }, proposal: { planApprovedBy: ["bob"] } });
    await harness.report(id, 3n, "succeeded");
    const ended = await harness.hub.get(id);
    expect([ended.state, ended.trouble, ended.proposal?.held]).toEqual(["succeeded", undefined, undefined]);
    expect(ended.history.map(({ to, actor }) => `${to} ${actor}`)).toEqual([
      "queued alice",
      "claimed agent i",
      "awaiting-plan-approval agent i",
      "queued bob",
      "claimed agent i",
      "awaiting-approval agent i",
      "approved cleo",
      "claimed agent i",
      "succeeded agent i",
    ]);
    expect(ended.history[2]?.reason).toBe("PLAN_APPROVAL_NEEDED: It brings code.");
  });

  it("as a dry run waits, too, and is run after approval", async () => {
    const id = await submitHeld({ approvals: undefined, dryRun: true });
    expect(await harness.hub.get(id)).toMatchObject({ state: "awaiting-plan-approval", dryRun: true });
    await harness.decide(id, "approve-plan", "bob");
    expect(await harness.claim()).toMatchObject([
      { id, envelope: { dryRun: true, proposal: { planApprovedBy: ["bob"] } } },
    ]);
    await harness.report(id, 2n, "succeeded");
    expect((await harness.hub.get(id)).state).toBe("succeeded");
  });

  it.each([
    ["its requester", "alice", "COMMAND_APPROVER_IS_REQUESTER", 403],
    ["a robot that its requester made", "robot", "COMMAND_APPROVER_IS_REQUESTER", 403],
    ["somebody who may only propose", "dora", "ACCESS_DENIED", 403],
    ["somebody who may only approve plans", "cleo", "ACCESS_DENIED", 403],
    ["somebody who may create other kinds", "emil", "ACCESS_DENIED", 403],
  ])("isn't planned because of %s", async (_, user, code, status) => {
    const id = await submitHeld();
    harness.access.unite("alice", "robot");
    // Also once the requester has got the right.
    harness.access.give("alice", "create *");
    harness.access.give("robot", "create *");
    harness.access.give("dora", "propose *");
    harness.access.give("emil", "create tofu");
    expect(await harness.decide(id, "approve-plan", user)).toMatchObject({ status, json: { code } });
    expect(await harness.hub.get(id)).toMatchObject({
      state: "awaiting-plan-approval",
      proposal: { planApprovedBy: [] },
    });
    expect(await harness.claim()).toEqual([]);
  });

  it("isn't planned because of who made the robot that asked for it", async () => {
    harness.access.unite("rob", "mia");
    harness.access.give("rob", "propose *");
    harness.access.give("mia", "create *");
    const { id } = await harness.submit("rob");
    await harness.claim();
    await harness.hold(id);
    expect((await harness.decide(id, "approve-plan", "mia")).json.code).toBe("COMMAND_APPROVER_IS_REQUESTER");
  });

  it("as a flow takes the right for each of its steps", async () => {
    const steps = [{ id: "a", manifests: { set: "web", manifests: "" } }];
    const id = await submitHeld({ kind: "flow", spec: { name: "f", steps } });
    harness.access.give("bob", "create flow");
    expect((await harness.decide(id, "approve-plan", "bob")).json.code).toBe("ACCESS_DENIED");
    harness.access.give("bob", "create flow", "create manifests");
    expect((await harness.decide(id, "approve-plan", "bob")).status).toBe(200);
  });

  it.each([
    ["rejected by somebody who may create", "reject", "bob", "rejected"],
    ["rejected by somebody who may approve", "reject", "cleo", "rejected"],
    ["cancelled by its requester", "cancel", "alice", "cancelled"],
  ] as const)("ends when it is %s", async (_, what, user, state) => {
    const id = await submitHeld();
    expect(await harness.decide(id, what, user)).toMatchObject({ status: 200, json: { state } });
    expect(await harness.decide(id, "approve-plan", "bob")).toMatchObject({
      status: 409,
      json: { code: "COMMAND_ENDED" },
    });
    expect(await harness.claim()).toEqual([]);
  });

  it("isn't rejected by those who may neither approve nor create", async () => {
    const id = await submitHeld();
    expect((await harness.decide(id, "reject", "alice")).json.code).toBe("ACCESS_DENIED");
  });

  it("expires when nobody approves planning in time", async () => {
    const id = await submitHeld();
    await sql`update command set approval_until = clock_timestamp() where id = ${id}`.execute(harness.harness.store.db);
    expect((await harness.decide(id, "approve-plan", "bob")).json.code).toMatch(/COMMAND_(PLANNING_UNAPPROVED|ENDED)/);
    await expect
      .poll(async () => await harness.hub.get(id))
      .toMatchObject({ state: "expired", trouble: { code: "COMMAND_PLANNING_UNAPPROVED" } });
  });

  it("has no plan to approve, and one with a plan isn't approved to be planned", async () => {
    const id = await submitHeld();
    expect((await harness.decide(id, "approve", "cleo")).json.code).toBe("COMMAND_NOT_AWAITING");
    await harness.decide(id, "approve-plan", "bob");
    expect((await harness.decide(id, "approve-plan", "bob")).json.code).toBe("COMMAND_PLANNING_NOT_AWAITED");
    await harness.claim();
    await harness.tellPlan(id, 2n);
    expect((await harness.decide(id, "approve-plan", "bob")).json.code).toBe("COMMAND_PLANNING_NOT_AWAITED");
  });

  it("is one decision when two come at once", async () => {
    const id = await submitHeld();
    harness.access.give("bert", "create *");
    const both = await Promise.all(["bob", "bert"].map((user) => harness.decide(id, "approve-plan", user)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("is counted and listed by its state", async () => {
    const id = await submitHeld();
    const path = `/api/v1/commands?cluster=${cluster}&state=awaiting-plan-approval`;
    expect((await harness.hub.ask("GET", path)).json).toMatchObject({ items: [{ id }] });
  });
});

test("an agent holds back neither what isn't a proposal nor what is approved to be planned", async () => {
  const { id } = await harness.submit("bob");
  await harness.claim();
  expect(await harness.hold(id)).toMatchObject({ accepted: false });
  await expect(harness.report(id, 1n, "plan-approval-needed")).rejects.toThrow("COMMAND_CALL_INVALID");
  await harness.report(id, 1n, "failed");
  const other = await submitHeld();
  await harness.decide(other, "approve-plan", "bob");
  await harness.claim();
  expect(await harness.hold(other, 2n)).toMatchObject({ accepted: false });
});
