// Those who decide on a command: robots count as their makers, and who lost a right doesn't count any more.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openProposalsHarness, type ProposalsHarness } from "./proposals-harness.fixture.ts";

let harness: ProposalsHarness;
beforeAll(async () => {
  harness = await openProposalsHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Others for each test. */
let count = 0;
let alice = "";
let bob = "";
let cleo = "";
let dan = "";
beforeEach(async () => {
  await harness.newCluster();
  count += 1;
  [alice, bob, cleo, dan] = ["alice", "bob", "cleo", "dan"].map((name) => `${name}${count}`) as [
    ...[string, string, string, string],
  ];
  harness.access.give(alice, "propose *");
  harness.access.give(bob, "approve *");
  harness.access.give(cleo, "approve *");
  harness.access.give(dan, "create *");
});

async function submitPlanned(approvals: object = {}, user = alice, more: object = {}): Promise<string> {
  const { id } = await harness.submit(user, { approvals, ...more });
  await harness.claim();
  await harness.tellPlan(id);
  return id;
}

async function submitHeld(more: object = {}): Promise<string> {
  const { id } = await harness.submit(alice, more);
  await harness.claim();
  await harness.hold(id);
  return id;
}

const approve = (id: string, user: string) => harness.decide(id, "approve", user);
const code = async (id: string, user: string) => (await approve(id, user)).json.code;

describe("several approvals", () => {
  it.each([
    ["a person and themselves", false],
    ["a person and their robot", true],
    ["two robots of a person", true],
  ])("of %s count once", async (_, areTwo) => {
    const second = areTwo ? cleo : bob;
    if (areTwo) harness.access.unite(bob, cleo);
    const id = await submitPlanned({ required: 2 });
    expect((await approve(id, bob)).json.approval?.given).toBe(1);
    expect(await code(id, second)).toBe("COMMAND_APPROVED_BEFORE");
    expect((await harness.hub.get(id)).state).toBe("awaiting-approval");
    harness.access.give(dan, "approve *");
    expect((await approve(id, dan)).json.state).toBe("approved");
  });

  it("count each when people gave them who made nothing for each other", async () => {
    const id = await submitPlanned({ required: 2 });
    await approve(id, bob);
    expect((await approve(id, cleo)).json.state).toBe("approved");
  });
});

describe("an approval", () => {
  it("isn't the requester's robot's to give, nor that of who made the requesting robot", async () => {
    harness.access.unite(alice, bob);
    const id = await submitPlanned();
    expect(await code(id, bob)).toBe("COMMAND_APPROVER_IS_REQUESTER");
    harness.access.give(alice, "approve *");
    harness.access.give(bob, "propose *");
    const other = await submitPlanned({}, bob, { set: "other" });
    expect(await code(other, alice)).toBe("COMMAND_APPROVER_IS_REQUESTER");
  });

  it("of a flow takes the right for each of its steps", async () => {
    const steps = [{ id: "a", manifests: { set: "web", manifests: "" } }];
    const id = await submitPlanned({}, alice, { kind: "flow", spec: { name: "f", steps } });
    harness.access.give(bob, "approve flow");
    expect(await code(id, bob)).toBe("ACCESS_DENIED");
    harness.access.give(bob, "approve flow", "approve manifests");
    expect((await approve(id, bob)).json.state).toBe("approved");
  });
});

describe("an approver who lost the right, or is gone,", () => {
  const ways: readonly [string, () => void][] = [
    ["lost the right", () => harness.access.give(bob)],
    ["is gone", () => harness.access.forget(bob)],
  ];

  it.each(ways)("doesn't count at the last approval (%s)", async (_, lose) => {
    const id = await submitPlanned({ required: 2 });
    await approve(id, bob);
    lose();
    expect((await approve(id, cleo)).json).toMatchObject({ state: "awaiting-approval", approval: { given: 1 } });
    expect((await harness.hub.get(id)).approvals?.map(({ by }) => by)).toEqual([cleo]);
    harness.access.give(dan, "approve *");
    expect((await approve(id, dan)).json.state).toBe("approved");
  });

  it.each(ways)("doesn't count when an agent claims it: it waits again (%s)", async (_, lose) => {
    const id = await submitPlanned({ required: 2 });
    await approve(id, bob);
    await approve(id, cleo);
    lose();
    expect(await harness.claim()).toEqual([]);
    const shown = await harness.hub.get(id);
    expect(shown).toMatchObject({ state: "awaiting-approval", approval: { given: 1 }, approvals: [{ by: cleo }] });
    expect(shown.history.at(-1)).toMatchObject({ actor: "hub", reason: `${bob} may not approve it any more` });
    expect(Date.parse(shown.approval?.until ?? "")).toBeGreaterThan(Date.now());
  });

  it("counts again once they have the right, and approve again", async () => {
    const id = await submitPlanned();
    await approve(id, bob);
    harness.access.give(bob);
    expect(await harness.claim()).toEqual([]);
    harness.access.give(bob, "approve *");
    expect((await approve(id, bob)).json.state).toBe("approved");
    expect(await harness.claim()).toMatchObject([
      { id, epoch: 2n, envelope: { approval: { is: "given", by: [bob] } } },
    ]);
  });

  it("changes nothing of a command that an agent has begun", async () => {
    const id = await submitPlanned();
    await approve(id, bob);
    await harness.claim();
    const commands = [{ id, epoch: 2n, giveBack: true }];
    const { cluster } = await harness.hub.get(id);
    await harness.hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands });
    harness.access.give(bob);
    expect(await harness.claim()).toMatchObject([
      { id, epoch: 3n, envelope: { approval: { is: "given", by: [bob] } } },
    ]);
  });

  it("leaves others of the cluster to be claimed at once", async () => {
    const id = await submitPlanned();
    await approve(id, bob);
    harness.access.give(bob);
    const { cluster } = await harness.hub.get(id);
    const plain = await harness.hub.submit({ cluster, set: "plain" }, dan);
    expect((await harness.claim()).map((one) => one.id)).toEqual([plain.id]);
  });
});

describe("who approved planning and lost the right", () => {
  it("doesn't count when an agent claims it: it waits again, and somebody else approves", async () => {
    const id = await submitHeld();
    await harness.decide(id, "approve-plan", dan);
    harness.access.give(dan);
    expect(await harness.claim()).toEqual([]);
    const shown = await harness.hub.get(id);
    expect(shown).toMatchObject({ state: "awaiting-plan-approval", proposal: { planApprovedBy: [] } });
    expect(shown.history.at(-1)?.reason).toBe(`${dan} may not approve planning any more`);
    harness.access.give(cleo, "create *");
    expect((await harness.decide(id, "approve-plan", cleo)).json.state).toBe("queued");
    expect(await harness.claim()).toMatchObject([{ id, envelope: { proposal: { planApprovedBy: [cleo] } } }]);
  });

  it("counts for a command that is planned", async () => {
    const id = await submitHeld();
    await harness.decide(id, "approve-plan", dan);
    await harness.claim();
    await harness.tellPlan(id, 2n);
    harness.access.give(dan);
    await approve(id, bob);
    expect(await harness.claim()).toMatchObject([{ id, envelope: { approval: { is: "given" } } }]);
  });
});

describe("a requester who lost the right", () => {
  const unfit = { state: "rejected", trouble: { code: "COMMAND_REQUESTER_UNFIT" } };

  it.each([
    ["proposed it, and may not any more", "propose *", ""],
    ["could create it, and may only propose now", "create *", "propose *"],
  ])("ends it at the last approval: they %s", async (_, before, after) => {
    harness.access.give(alice, before);
    const id = await submitPlanned();
    harness.access.give(alice, after);
    expect((await approve(id, bob)).json).toMatchObject(unfit);
    expect(await harness.claim()).toEqual([]);
  });

  it("ends it when an agent claims it, to plan or to apply", async () => {
    const [first, second] = [await submitPlanned(), await harness.submit(alice, { set: "other" })];
    await approve(first, bob);
    harness.access.give(alice);
    expect(await harness.claim()).toEqual([]);
    expect([await harness.hub.get(first), await harness.hub.get(second.id)]).toMatchObject([unfit, unfit]);
  });

  it("ends also a dry run that was proposed, and held back", async () => {
    const dryRun = { approvals: undefined, dryRun: true };
    const fresh = await harness.submit(alice, dryRun);
    harness.access.forget(alice);
    expect(await harness.claim()).toEqual([]);
    expect(await harness.hub.get(fresh.id)).toMatchObject(unfit);
  });

  it("may have got the right to create it instead", async () => {
    const id = await submitPlanned();
    harness.access.give(alice, "create *");
    expect((await approve(id, bob)).json.state).toBe("approved");
    expect(await harness.claim()).toMatchObject([{ id }]);
  });

  it("ends nothing that nobody has to approve", async () => {
    const { id } = await harness.submit(dan, { approvals: undefined });
    harness.access.give(dan);
    expect(await harness.claim()).toMatchObject([{ id }]);
  });
});
