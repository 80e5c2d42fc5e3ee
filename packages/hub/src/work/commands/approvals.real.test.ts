// Plans and their approval: people decide, agents plan and do what was approved, at two hubs on one database.
import { randomUUID } from "node:crypto";
import type { CommandDetail } from "@fairlead/contract";
import { approvalEnvelopeType } from "@fairlead/protocol";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "./commands-harness.fixture.ts";

let harness: CommandsHarness;
let hub: HarnessHub;
let other: HarnessHub;
let cluster: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await harness.openHub({ limits: { queue: { commands: 8, bytes: 20_000 } } });
  other = await harness.openHub();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name: cluster, roles: ["execute"] });
});

const digest = "d".repeat(64);
const plan = { objects: [{ kind: "ConfigMap", name: "web", did: "created" }] };

const submit = (approvals: object = {}, more: object = {}) => hub.submit({ cluster, approvals, ...more });

async function claim(at: HarnessHub = hub) {
  const { commands } = await at.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
  return commands.map(({ id, epoch, envelope }) => ({
    id,
    epoch,
    envelope: decodeJwt(envelope),
    typ: decodeProtectedHeader(envelope).typ,
  }));
}

function report(id: string, epoch: bigint, state: string, more: object = {}) {
  return hub.agent(cluster).report({ id, epoch, sequence: 9n, state, ...more });
}

function tellPlan(id: string, epoch = 1n) {
  return report(id, epoch, "planned", { planDigest: digest, resultJson: Buffer.from(JSON.stringify(plan)) });
}

/** A command that waits for approval. */
async function submitPlanned(approvals: object = {}, more: object = {}): Promise<string> {
  const { id } = await submit(approvals, more);
  expect((await claim()).map((one) => one.id)).toContain(id);
  expect(await tellPlan(id)).toMatchObject({ accepted: true });
  return id;
}

const decide = (id: string, what: "approve" | "reject" | "cancel", body: object, user: string, at = hub) =>
  at.ask("POST", `/api/v1/commands/${id}/${what}`, body, user);
const approve = (id: string, user: string, at = hub) => decide(id, "approve", { digest }, user, at);
const stepsOf = ({ history }: CommandDetail) => history.map(({ to, actor, reason }) => [to, actor, reason]);

describe("a command that needs approval", () => {
  it("is planned, shown, approved and carried out, and its history says by whom", async () => {
    const { id } = await submit();
    expect(await hub.get(id)).toMatchObject({ state: "queued", approval: { required: 1, given: 0, fourEyes: true } });
    const [planning] = await claim();
    expect(planning).toMatchObject({ id, epoch: 1n, typ: approvalEnvelopeType });
    // The database takes the times from its clock one after the other.
    const keptMs = expect.closeTo(2 * 86_400_000, -2);
    expect(planning?.envelope["approval"]).toEqual({ is: "needed", keptMs });
    await report(id, 1n, "running", { sequence: 1n });
    await tellPlan(id);
    const shown = await hub.get(id);
    expect(shown).toMatchObject({ state: "awaiting-approval", plan, approval: { digest, given: 0 }, approvals: [] });
    expect(Date.parse(shown.approval?.until ?? "") - Date.now()).toBeGreaterThan(86_000_000);
    expect(await claim()).toEqual([]);
    const { json } = await decide(id, "approve", { digest, comment: "go" }, "bob");
    expect(json).toMatchObject({ state: "approved", approval: { given: 1 } });
    const [applying] = await claim(other);
    expect(applying).toMatchObject({ id, epoch: 2n, typ: approvalEnvelopeType });
    expect(applying?.envelope["approval"]).toEqual({
      is: "given",
      digest,
      by: ["bob"],
      untilMs: expect.any(Number),
      keptMs: expect.any(Number),
    });
    await report(id, 2n, "applying", { sequence: 1n });
    expect(await hub.get(id)).toMatchObject({ state: "applying" });
    await report(id, 2n, "succeeded");
    const ended = await hub.get(id);
    expect(ended).toMatchObject({ state: "succeeded", plan, approvals: [{ by: "bob", comment: "go" }] });
    expect(stepsOf(ended)).toEqual([
      ["queued", "alice", undefined],
      ["claimed", "agent i", undefined],
      ["running", "agent i", undefined],
      ["awaiting-approval", "agent i", undefined],
      ["approved", "bob", "approved: go"],
      ["claimed", "agent i", undefined],
      ["applying", "agent i", undefined],
      ["succeeded", "agent i", undefined],
    ]);
  });

  it("ends without anybody's approval when its plan changes nothing, or planning fails", async () => {
    for (const state of ["succeeded", "failed"]) {
      const { id } = await submit();
      await claim();
      await report(id, 1n, state, { resultJson: Buffer.from("{}") });
      expect(await hub.get(id)).toMatchObject({ state, result: {} });
      expect(await approve(id, "bob")).toMatchObject({ status: 409, json: { code: "COMMAND_ENDED" } });
    }
  });

  it("leaves its agent free while it waits: later ones of its target wait, others proceed", async () => {
    const id = await submitPlanned();
    const same = await submit();
    const another = await hub.submit({ cluster, set: "other" });
    expect((await claim()).map((one) => one.id)).toEqual([another.id]);
    await decide(id, "reject", {}, "bob");
    expect((await claim()).map((one) => one.id)).toEqual([same.id]);
  });

  it("doesn't need one more plan when the agent that told it tells it again", async () => {
    const id = await submitPlanned();
    expect(await tellPlan(id)).toMatchObject({ accepted: true });
    expect(await report(id, 1n, "succeeded", { sequence: 10n })).toMatchObject({ accepted: false });
    expect((await hub.get(id)).state).toBe("awaiting-approval");
  });

  it("is planned again by the next agent when the first one died, and asks people again for nothing", async () => {
    const { id } = await submit();
    await claim();
    const commands = [{ id, epoch: 1n, giveBack: true }];
    await hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands });
    expect(await claim(other)).toMatchObject([{ id, epoch: 2n, envelope: { approval: { is: "needed" } } }]);
    await tellPlan(id, 2n);
    await approve(id, "bob");
    expect(await claim()).toMatchObject([{ id, epoch: 3n }]);
    await hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands: [{ id, epoch: 3n, giveBack: true }] });
    expect(await hub.get(id)).toMatchObject({ state: "approved" });
    expect(await claim()).toMatchObject([{ id, epoch: 4n, envelope: { approval: { is: "given", by: ["bob"] } } }]);
  });

  it("takes no plan that can't be shown, and none for a command that nobody has to approve", async () => {
    const { id } = await submit();
    const plain = await hub.submit({ cluster, set: "plain" });
    await claim();
    await expect(report(id, 1n, "planned", { planDigest: "x" })).rejects.toThrow("COMMAND_CALL_INVALID");
    expect(await tellPlan(plain.id)).toMatchObject({ accepted: false });
    expect(await report(plain.id, 1n, "applying")).toMatchObject({ accepted: false });
    await report(id, 1n, "planned", { planDigest: digest, resultJson: Buffer.alloc(1024 * 1024 + 1, " ") });
    expect(await hub.get(id)).toMatchObject({ state: "failed", trouble: { code: "COMMAND_PLAN_UNREADABLE" } });
  });

  it("takes no approval for a dry run, and no wish that makes no sense", async () => {
    for (const wrong of [{ required: 0 }, { required: 11 }, { seconds: 30 * 86_400 + 1 }, { fourEye: true }])
      await expect(submit(wrong)).rejects.toMatchObject({ status: 400, code: "COMMAND_REQUEST_INVALID" });
    await expect(submit({}, { dryRun: true })).rejects.toMatchObject({ code: "COMMAND_REQUEST_INVALID" });
  });

  it("needs approval again when it is asked for again", async () => {
    const id = await submitPlanned({ required: 3, fourEyes: false, seconds: 60 });
    await decide(id, "reject", {}, "bob");
    const { json } = await hub.ask("POST", `/api/v1/commands/${id}/retry`, {});
    expect(json).toMatchObject({ state: "queued", approval: { required: 3, given: 0, fourEyes: false } });
  });

  it("tells the agent that keeps its plan when that isn't needed any more, and no sooner", async () => {
    const id = await submitPlanned();
    const commands = [{ id, epoch: 1n }];
    const ask = async () => (await hub.agent(cluster).renewLeases({ agentInstanceId: "i", commands })).leases;
    expect(await ask()).toMatchObject([{ id, held: false, over: false }]);
    await approve(id, "bob");
    expect(await ask()).toMatchObject([{ id, held: false, over: false }]);
    await decide(id, "cancel", {}, "alice");
    expect(await ask()).toMatchObject([{ id, held: false, over: true }]);
  });

  it("takes its share of the queue while it waits", async () => {
    for (let index = 0; index < 4; index++) await submitPlanned({}, { set: `s${index}` });
    await expect(submit()).rejects.toMatchObject({ status: 429, code: "COMMAND_QUEUE_FULL" });
  });

  it("takes the share of its plan, too", async () => {
    const { id } = await submit();
    await claim();
    const large = Buffer.from(JSON.stringify("x".repeat(10_000)));
    await report(id, 1n, "planned", { planDigest: digest, resultJson: large });
    await expect(submit()).rejects.toMatchObject({ status: 429, code: "COMMAND_QUEUE_FULL" });
  });
});

describe("scenario 26: an approval", () => {
  it("is for the plan that is shown: another digest approves nothing", async () => {
    const id = await submitPlanned();
    const wrong = await decide(id, "approve", { digest: "e".repeat(64) }, "bob");
    expect(wrong).toMatchObject({ status: 409, json: { code: "COMMAND_PLAN_MISMATCH" } });
    expect(await decide(id, "approve", {}, "bob")).toMatchObject({ json: { code: "COMMAND_REQUEST_INVALID" } });
    expect(await hub.get(id)).toMatchObject({ state: "awaiting-approval", approval: { given: 0 } });
  });

  it("isn't the requester's to give, unless that was asked for", async () => {
    const id = await submitPlanned();
    const own = await approve(id, "alice");
    expect(own).toMatchObject({ status: 403, json: { code: "COMMAND_APPROVER_IS_REQUESTER" } });
    const free = await submitPlanned({ fourEyes: false }, { set: "free" });
    expect((await approve(free, "alice")).json).toMatchObject({ state: "approved" });
  });

  it("counts once for each person, and as many are needed as were asked for", async () => {
    const id = await submitPlanned({ required: 2 });
    expect((await approve(id, "bob")).json).toMatchObject({ state: "awaiting-approval", approval: { given: 1 } });
    const again = await approve(id, "bob", other);
    expect(again).toMatchObject({ status: 409, json: { code: "COMMAND_APPROVED_BEFORE" } });
    expect(await claim()).toEqual([]);
    expect((await approve(id, "carol")).json).toMatchObject({ state: "approved", approval: { given: 2 } });
    expect(await claim()).toMatchObject([{ envelope: { approval: { by: ["bob", "carol"] } } }]);
    expect(stepsOf(await hub.get(id))).toContainEqual(["awaiting-approval", "bob", "approved"]);
  });

  it("is one when two come at once at two hubs, and two when two people give it", async () => {
    const id = await submitPlanned();
    const answers = await Promise.all([approve(id, "bob"), approve(id, "carol", other), approve(id, "dave", other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409).map(({ json }) => (json as { code: string }).code);
    expect(refused).toEqual(["COMMAND_NOT_AWAITING", "COMMAND_NOT_AWAITING"]);
    const two = await submitPlanned({ required: 2 }, { set: "two" });
    const twice = await Promise.all([approve(two, "bob"), approve(two, "bob", other), approve(two, "carol", other)]);
    expect(twice.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(await hub.get(two)).toMatchObject({ state: "approved", approvals: { length: 2 } });
  });

  it("and a rejection exclude each other, whichever comes first: an approver who changes his mind in time ends it", async () => {
    const id = await submitPlanned({ required: 2 });
    await approve(id, "bob");
    const { json } = await decide(id, "reject", { comment: "the image is wrong" }, "bob");
    expect(json).toMatchObject({ state: "rejected", trouble: { code: "COMMAND_REJECTED" } });
    expect(await approve(id, "carol")).toMatchObject({ status: 409, json: { code: "COMMAND_ENDED" } });
    expect(stepsOf(await hub.get(id)).at(-1)).toEqual(["rejected", "bob", "the image is wrong"]);
    const approved = await submitPlanned({}, { set: "approved" });
    await approve(approved, "bob");
    expect(await decide(approved, "reject", {}, "bob")).toMatchObject({ json: { code: "COMMAND_NOT_AWAITING" } });
    expect((await decide(approved, "cancel", {}, "bob")).json).toMatchObject({ state: "cancelled" });
    expect(await claim()).toEqual([]);
  });

  it("isn't taken before there is a plan, nor when its time is over, and what nobody approved expires", async () => {
    const { id } = await submit({ seconds: 1 });
    expect(await approve(id, "bob")).toMatchObject({ status: 409, json: { code: "COMMAND_NOT_AWAITING" } });
    await claim();
    await tellPlan(id);
    await harness.store.db
      .updateTable("command")
      .set({ approval_until: new Date(0) })
      .where("id", "=", id)
      .execute();
    const { status, json } = await approve(id, "bob");
    expect(status).toBe(409);
    expect(["COMMAND_APPROVAL_EXPIRED", "COMMAND_ENDED"]).toContain((json as { code: string }).code);
    await expect.poll(async () => (await hub.get(id)).state).toBe("expired");
    expect((await hub.get(id)).trouble).toMatchObject({ code: "COMMAND_APPROVAL_EXPIRED" });
    expect(await claim()).toEqual([]);
  });

  it("outlives the hub that took it, and gives the agent as long as at first", async () => {
    const gone = await harness.openHub();
    const id = await submitPlanned({}, { deadlineSeconds: 3_600 });
    const first = Date.parse((await hub.get(id)).deadlineAt);
    await approve(id, "bob", gone);
    await gone.stop();
    expect(Date.parse((await hub.get(id)).deadlineAt)).toBeGreaterThan(first);
    const next = await harness.openHub();
    expect(await claim(next)).toMatchObject([{ id, epoch: 2n, envelope: { approval: { digest, by: ["bob"] } } }]);
  });
});

describe("scenario 25: cancelling", () => {
  it("ends what waits for approval at once, and a second cancel finds it ended", async () => {
    const id = await submitPlanned();
    expect((await decide(id, "cancel", {}, "alice")).json).toMatchObject({ state: "cancelled" });
    expect(await decide(id, "cancel", {}, "alice")).toMatchObject({ status: 409, json: { code: "COMMAND_ENDED" } });
    expect(await approve(id, "bob")).toMatchObject({ status: 409, json: { code: "COMMAND_ENDED" } });
    expect(await claim()).toEqual([]);
  });

  it("while it is planned counts also if the plan is done before the agent hears of it", async () => {
    const { id } = await submit();
    await claim();
    expect((await decide(id, "cancel", {}, "alice")).json).toMatchObject({
      state: "claimed",
      cancellation: "graceful",
    });
    expect(await tellPlan(id)).toMatchObject({ accepted: true });
    expect(await hub.get(id)).toMatchObject({ state: "cancelled" });
  });

  it("asks the agent that applies, and a second one more firmly", async () => {
    const id = await submitPlanned();
    await approve(id, "bob");
    await claim();
    expect((await decide(id, "cancel", {}, "alice")).json).toMatchObject({ cancellation: "graceful" });
    expect((await decide(id, "cancel", {}, "alice")).json).toMatchObject({ cancellation: "forced" });
    await report(id, 2n, "cancelled", { code: "COMMAND_CANCELLED" });
    expect(await hub.get(id)).toMatchObject({ state: "cancelled", trouble: { code: "COMMAND_CANCELLED" } });
  });

  it("and approving at once leaves one outcome", async () => {
    const id = await submitPlanned();
    const [approved, cancelled] = await Promise.all([approve(id, "bob"), decide(id, "cancel", {}, "alice", other)]);
    expect(cancelled.status).toBe(200);
    expect([200, 409]).toContain(approved.status);
    expect(await hub.get(id)).toMatchObject({ state: "cancelled" });
    expect(await claim()).toEqual([]);
  });
});
