// Flows that wait for approval again while they are carried out, at two hubs on one database.
import { randomUUID } from "node:crypto";
import type { CommandDetail } from "@fairlead/contract";
import { Cancellation } from "@fairlead/protocol";
import { decodeJwt } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "./commands-harness.fixture.ts";
import { createPartyAccess } from "./party-access.fixture.ts";

const access = createPartyAccess();
let harness: CommandsHarness;
let hub: HarnessHub;
let other: HarnessHub;
let cluster: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await harness.openHub({ access });
  other = await harness.openHub({ access });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  access.give("alice", "create *", "update *", "approve *");
  for (const name of ["bob", "carol", "dora"]) access.give(name, "approve *");
  cluster = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name: cluster, roles: ["execute"] });
});

const [first, second, third] = ["1", "2", "3"].map((one) => one.repeat(64)) as [string, string, string];
const flow = {
  name: "release",
  steps: [
    { id: "one", manifests: { set: "one", manifests: "" } },
    { id: "two", manifests: { set: "two", manifests: "x: ${steps.one.outputs.objects}" } },
  ],
};
const kinds = ["manifests", "helm", "tofu", "flow"];

async function claim(at: HarnessHub = hub) {
  const { commands } = await at.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds });
  return commands.map(({ id, epoch, envelope, cancellation }) => ({
    id,
    epoch,
    cancellation,
    approval: decodeJwt(envelope)["approval"],
  }));
}

function report(id: string, epoch: bigint, state: string, more: object = {}) {
  return hub.agent(cluster).report({ id, epoch, sequence: 9n, state, ...more });
}

const tellPlan = (id: string, epoch: bigint, planDigest: string) =>
  report(id, epoch, "planned", { planDigest, resultJson: Buffer.from(JSON.stringify({ plan: planDigest[0] })) });

const decide = (id: string, what: "approve" | "reject" | "cancel", body: object, user: string, at = hub) =>
  at.ask("POST", `/api/v1/commands/${id}/${what}`, body, user);

/** A flow whose first plan was approved by bob, and that waits with its second one. */
async function submitInSecondRound(approvals: { readonly required?: number } = {}): Promise<string> {
  const { id } = await hub.submit({ cluster, kind: "flow", spec: flow, approvals });
  await claim();
  await tellPlan(id, 1n, first);
  await decide(id, "approve", { digest: first }, "bob");
  if (approvals.required === 2) await decide(id, "approve", { digest: first }, "carol");
  expect(await claim()).toMatchObject([{ id, epoch: 2n, approval: { digest: first, keptMs: expect.any(Number) } }]);
  await report(id, 2n, "applying", { sequence: 1n });
  expect(await tellPlan(id, 2n, second)).toMatchObject({ accepted: true });
  return id;
}

const stepsOf = ({ history }: CommandDetail) => history.map(({ to, actor, reason }) => [to, actor, reason]);

describe("a flow whose agent tells another plan while it carries it out", () => {
  it("waits for approval of that, goes on by it, and shows who approved which plan", async () => {
    const id = await submitInSecondRound();
    const shown = await hub.get(id);
    expect(shown).toMatchObject({ state: "awaiting-approval", plan: { plan: "2" } });
    expect(shown.approval).toMatchObject({ digest: second, round: 2, given: 0, required: 1 });
    expect(Date.parse(shown.approval?.until ?? "") - Date.now()).toBeGreaterThan(86_000_000);
    expect(await claim()).toEqual([]);
    expect(await decide(id, "approve", { digest: first }, "bob")).toMatchObject({
      json: { code: "COMMAND_PLAN_MISMATCH" },
    });
    expect(await decide(id, "approve", { digest: second }, "alice")).toMatchObject({
      json: { code: "COMMAND_APPROVER_IS_REQUESTER" },
    });
    // Who approved one plan may approve the next one.
    expect(await decide(id, "approve", { digest: second, comment: "go on" }, "bob", other)).toMatchObject({
      status: 200,
    });
    expect(await claim(other)).toMatchObject([
      { id, epoch: 3n, approval: { is: "given", digest: second, by: ["bob"] } },
    ]);
    await report(id, 3n, "applying", { sequence: 1n });
    await tellPlan(id, 3n, third);
    await decide(id, "approve", { digest: third }, "carol");
    expect(await claim()).toMatchObject([{ epoch: 4n, approval: { digest: third, by: ["carol"] } }]);
    await report(id, 4n, "succeeded");
    const ended = await hub.get(id);
    expect(ended).toMatchObject({ state: "succeeded", approval: { digest: third, round: 3 } });
    expect(ended.approvals?.map(({ by, round = 1 }) => `${by} ${round}`)).toEqual(["bob 1", "bob 2", "carol 3"]);
    expect(stepsOf(ended).filter(([to]) => to === "awaiting-approval" || to === "approved")).toHaveLength(6);
  });

  it("needs as many approvals as for the first plan, and loses those of people who may not approve any more", async () => {
    const id = await submitInSecondRound({ required: 2 });
    expect(await decide(id, "approve", { digest: second }, "bob")).toMatchObject({
      json: { state: "awaiting-approval", approval: { given: 1 } },
    });
    expect(await decide(id, "approve", { digest: second }, "bob")).toMatchObject({
      json: { code: "COMMAND_APPROVED_BEFORE" },
    });
    await decide(id, "approve", { digest: second }, "carol");
    // A flow needs the right on what its steps do, too.
    access.give("carol", "approve flow");
    expect(await claim()).toEqual([]);
    expect(await hub.get(id)).toMatchObject({ state: "awaiting-approval", approval: { given: 1, round: 2 } });
    expect(await decide(id, "approve", { digest: second }, "carol")).not.toMatchObject({ status: 200 });
    await decide(id, "approve", { digest: second }, "dora");
    expect(await claim()).toMatchObject([{ epoch: 3n, approval: { digest: second, by: ["bob", "dora"] } }]);
    // What carol approved before is under way, and stays on record.
    expect((await hub.get(id)).approvals).toHaveLength(4);
  });

  it("takes a plan again from an agent that was cut off, and no other report of its claim", async () => {
    const id = await submitInSecondRound();
    expect(await tellPlan(id, 2n, second)).toMatchObject({ accepted: true });
    expect(await report(id, 2n, "succeeded", { sequence: 10n })).toMatchObject({ accepted: false });
    await decide(id, "approve", { digest: second }, "bob");
    expect(await report(id, 2n, "succeeded", { sequence: 10n })).toMatchObject({ accepted: false });
    expect(await hub.get(id)).toMatchObject({ state: "approved" });
  });

  it.each([
    ["rejected", (id: string) => decide(id, "reject", { comment: "no" }, "bob"), "COMMAND_REJECTED"],
    ["cancelled", (id: string) => decide(id, "cancel", {}, "alice"), "COMMAND_CANCELLED"],
    ["expired", (id: string) => expire(id), "COMMAND_APPROVAL_EXPIRED"],
  ])(
    "is put right by an agent when that plan is %s, by what was approved before, and ends so",
    async (outcome, act, code) => {
      const id = await submitInSecondRound();
      await act(id);
      expect(await hub.get(id)).toMatchObject({
        state: "queued",
        cancellation: "graceful",
        approval: { digest: first },
      });
      expect(await decide(id, "approve", { digest: second }, "bob")).toMatchObject({ status: 409 });
      expect(await claim()).toMatchObject([
        { id, epoch: 3n, cancellation: Cancellation.GRACEFUL, approval: { is: "given", digest: first, by: ["bob"] } },
      ]);
      await report(id, 3n, "applying", { sequence: 1n });
      const told = { code: "COMMAND_CANCELLED", message: "cancelled", resultJson: Buffer.from('{"steps":[]}') };
      expect(await report(id, 3n, "cancelled", told)).toMatchObject({ accepted: true });
      expect(await hub.get(id)).toMatchObject({ state: outcome, trouble: { code }, result: { steps: [] } });
    },
  );

  it("is put right when its requester may not ask for it any more, also when it is approved already", async () => {
    for (const isApproved of [false, true]) {
      access.give("alice", "create *", "update *", "approve *");
      const id = await submitInSecondRound();
      if (isApproved) await decide(id, "approve", { digest: second }, "bob");
      access.give("alice", "create flow", "update *");
      if (!isApproved) await decide(id, "approve", { digest: second }, "bob");
      expect(await claim()).toMatchObject([
        { id, epoch: 3n, cancellation: Cancellation.GRACEFUL, approval: { digest: first } },
      ]);
      await report(id, 3n, "cancelled", { code: "COMMAND_CANCELLED", message: "cancelled" });
      expect(await hub.get(id)).toMatchObject({ state: "rejected", trouble: { code: "COMMAND_REQUESTER_UNFIT" } });
    }
  });

  it("isn't asked about when it is to be cancelled, and a second cancel ends it", async () => {
    const { id } = await hub.submit({ cluster, kind: "flow", spec: flow, approvals: {} });
    await claim();
    await tellPlan(id, 1n, first);
    await decide(id, "approve", { digest: first }, "bob");
    await claim();
    await decide(id, "cancel", {}, "alice");
    expect(await tellPlan(id, 2n, second)).toMatchObject({ accepted: true });
    expect(await hub.get(id)).toMatchObject({
      cancellation: "graceful",
      approval: { digest: first },
      plan: { plan: "1" },
    });
    expect(await claim()).toMatchObject([
      { epoch: 3n, cancellation: Cancellation.GRACEFUL, approval: { digest: first } },
    ]);
    await hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands: [{ id, epoch: 3n, giveBack: true }] });
    await decide(id, "cancel", {}, "alice");
    expect(await hub.get(id)).toMatchObject({ state: "cancelled" });
  });

  it("keeps the agent's record of it as long as somebody may come for it", async () => {
    const id = await submitInSecondRound();
    const commands = [{ id, epoch: 2n }];
    const ask = async () => (await hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands })).leases;
    await decide(id, "reject", {}, "bob");
    expect(await ask()).toMatchObject([{ id, held: false, over: false }]);
  });
});

/** As when its time is over; any hub sees that. */
async function expire(id: string): Promise<void> {
  await sql`update command set approval_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
    harness.store.db,
  );
  for (const untilMs = Date.now() + 30_000; Date.now() < untilMs; await new Promise((go) => setTimeout(go, 100)))
    if ((await hub.get(id)).state !== "awaiting-approval") return;
}
