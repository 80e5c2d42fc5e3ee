// Which proposals a template vouches for: those whose code its author chose, who may create such commands.
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openProposalsHarness, type ProposalsHarness } from "../commands/proposals-harness.fixture.ts";

let harness: ProposalsHarness;
let cluster: string;
beforeAll(async () => {
  harness = await openProposalsHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = await harness.newCluster();
  harness.access.give("author", "create *", "update *", "use *");
  harness.access.give("proposer", "propose *", "create templates/web", "update templates/web");
  harness.access.give("user", "use templates/web");
});

const parameters = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
const chart = { repository: "https://charts.example.com", name: "web", version: "1.0.0" };
const data = { release: "web", chart, values: { note: "${param:a}" } };
const code = { release: "web", chart: { ...chart, version: "${param:a}" } };

const put = (spec: object, more: object = {}, by = "author") =>
  harness.hub.ask(
    "PUT",
    "/api/v1/templates/web",
    { kind: "helm", clusters: { all: true }, parameters, spec, ...more },
    by,
  );
const use = (more: object = {}) =>
  harness.submit("user", {
    kind: "template",
    spec: { name: "web", parameters: { a: "1.0.0" } },
    approvals: undefined,
    ...more,
  });

async function proposalOf(id: string): Promise<unknown> {
  const { commands } = await harness.hub.agent(cluster).claim({ agentInstanceId: "i", most: 1, kinds: ["helm"] });
  expect(commands).toMatchObject([{ id }]);
  return decodeJwt(commands[0]?.envelope ?? "")["proposal"];
}

const approvals = { approvals: {} };
const dryRun = { dryRun: true };
const vouched = { isVouched: true, planApprovedBy: [] };
const unvouched = { isVouched: false, planApprovedBy: [] };

it.each([
  ["a parameter that is data", data, approvals, {}, vouched],
  ["a parameter that chooses code", code, approvals, {}, unvouched],
  ["a dry run by a parameter that is data", data, approvals, dryRun, vouched],
  ["a dry run by a parameter that chooses code", code, approvals, dryRun, unvouched],
  ["approvals that its user wishes", code, {}, { approvals: {} }, unvouched],
  // Its author lets others create commands by it.
  ["no approvals", code, {}, {}, undefined],
  ["no approvals, as a dry run", code, {}, dryRun, undefined],
])("a template with %s", async (_, spec, fixed, wishes, proposal) => {
  expect(await put(spec, fixed)).toMatchObject({ json: { isVouched: spec === data } });
  const { id } = await use(wishes);
  expect(await proposalOf(id)).toEqual(proposal);
});

it("makes no proposals of what people ask for by it who may create such commands", async () => {
  await put(code, approvals);
  harness.access.give("user", "use templates/web", "create helm");
  expect(await proposalOf((await use()).id)).toBeUndefined();
});

it("vouches for nothing when its author may only propose", async () => {
  expect(await put(data, approvals, "proposer")).toMatchObject({ status: 200, json: { isVouched: false } });
  expect(await proposalOf((await use()).id)).toEqual(unvouched);
});

it("vouches for nothing any more when somebody who may only propose has changed it", async () => {
  await put(data, approvals);
  await put({ ...data, namespace: "shop" }, approvals, "proposer");
  expect(await proposalOf((await use()).id)).toEqual(unvouched);
});

it("vouches only for its present revision", async () => {
  const { json } = await put(data, approvals);
  const { revision } = json as { revision: number };
  const uses = harness.hub.templates;
  expect(await uses.vouch({ name: "web", revision })).toEqual({ isVouched: true, needsApproval: true });
  expect(await uses.vouch({ name: "web", revision: revision - 1 })).toEqual({ isVouched: false, needsApproval: true });
  expect(await uses.vouch({ name: "none", revision })).toEqual({ isVouched: false, needsApproval: true });
});
