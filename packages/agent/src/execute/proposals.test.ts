// Proposals against a scripted hub over real links: none of a proposer's code runs before somebody has approved planning it.
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { approvalEnvelopeType, type CommandEnvelope, envelopeType, proposalEnvelopeType } from "@fairlead/protocol";
import { expect, test } from "vitest";
import type { TestExecuting } from "./executing.fixture.ts";
import { untilEnded, useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { createFileRecords } from "./records/index.ts";
import type { HubCommand } from "./scripted-hub.fixture.ts";
import { testEnvelope } from "./signing.fixture.ts";

const at = useHubAndAgents();
const id = "cmd_proposed";

const start = (): Promise<TestExecuting> => at.start({ runners: { manifests: at.runner, tofu: at.runner } });

const unseen = { isVouched: false, planApprovedBy: [] };
const needed = { is: "needed", keptMs: 60_000 } as const;

function proposed(changes: Partial<CommandEnvelope> = {}): CommandEnvelope {
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  return testEnvelope({
    id,
    kind: "tofu",
    spec: { steps: 2 },
    ...times,
    approval: needed,
    proposal: unseen,
    ...changes,
  });
}

const submit = (envelope: CommandEnvelope): Promise<HubCommand> =>
  at.hub.submit(at.signer, envelope, { typ: proposalEnvelopeType });

async function hasRecord({ folder }: TestExecuting): Promise<boolean> {
  const records = createFileRecords({ folder: join(folder, "commands") });
  return (await records.find(id, AbortSignal.timeout(5_000))) !== undefined;
}

test.each([{}, { dryRun: true, approval: undefined }])(
  "what brings code isn't planned, leaves no record, and is planned when somebody has approved that: %j",
  async (changes) => {
    const agent = await start();
    const command = await submit(proposed(changes));
    await until(() => command.heldBack !== undefined, "it is held back");
    expect(command.heldBack).toMatchObject({
      state: "plan-approval-needed",
      code: "COMMAND_PLAN_APPROVAL_NEEDED",
      message: expect.stringContaining("runs its configuration"),
    });
    await until(() => agent.executing.heldCount === 0, "its place is free");
    expect([at.runner.plans, await hasRecord(agent)]).toEqual([[], false]);
    await at.hub.approve(at.signer, proposed({ ...changes, proposal: { isVouched: false, planApprovedBy: ["bob"] } }));
    await until(() => command.plans.length > 0 || command.outcome !== undefined, "it is planned");
    expect([at.runner.plans, at.runner.effects]).toEqual([[id], []]);
  },
);

test.each([
  ["that brings no code", { kind: "manifests" as const }],
  ["that a template vouches for", { proposal: { isVouched: true, planApprovedBy: [] } }],
])("a proposal %s is planned at once, and done when its plan is approved", async (_what, changes) => {
  await start();
  const command = await submit(proposed(changes));
  await until(() => command.plans.length > 0, "it is planned");
  expect([command.heldBack, at.runner.effects]).toEqual([undefined, []]);
  const digest = command.plans[0]?.planDigest ?? "";
  const approval = { is: "given" as const, digest, by: ["bob"], untilMs: Date.now() + 60_000, keptMs: 60_000 };
  await at.hub.approve(at.signer, proposed({ ...changes, approval }));
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect(at.runner.effects).toEqual([`${id}/1`, `${id}/2`]);
});

test("a proposal's plan knows no Secret until somebody has seen the proposal", async () => {
  await start();
  const seen: string[] = [];
  at.runner.beforePlanned = async ({ secrets, plansBlind }) => {
    seen.push(`${plansBlind} ${await secrets.resolve("${secret:a/b/c}")}`);
  };
  const command = await submit(proposed({ kind: "manifests" }));
  await until(() => command.plans.length > 0, "it is planned");
  expect(seen).toEqual(["true ${secret:a/b/c}"]);
});

test.each([
  ["a plan", {}],
  ["a dry run", { dryRun: true, approval: undefined }],
])("%s that read Secrets shows no field to whoever only proposes it", async (_what, changes) => {
  await start();
  at.runner.plan = async ({ secrets }) => {
    secrets.read.add("a/b");
    const object = { kind: "ConfigMap", name: "a", changes: [{ path: "data.a", to: "S E C R E T" }] };
    return { json: { objects: [object] }, digest: "d", isEmpty: false };
  };
  const seen = { isVouched: false, planApprovedBy: ["bob"] };
  const command = await submit(proposed({ ...changes, proposal: seen }));
  await until(() => command.plans.length > 0 || command.outcome !== undefined, "it is planned");
  const { resultJson = new Uint8Array() } = command.plans[0] ?? command.outcome ?? {};
  expect(JSON.parse(Buffer.from(resultJson).toString())).toEqual({
    objects: [{ kind: "ConfigMap", name: "a" }],
    withheld: true,
    withheldBecause: expect.stringContaining("proposal"),
  });
});

test.each([
  [
    "comes without an approval, and is no dry run",
    { kind: "manifests" as const, approval: undefined },
    "COMMAND_PROPOSAL_UNAPPROVED",
  ],
  [
    "is said to be approved, and was never planned",
    { approval: { is: "given" as const, digest: "d", by: ["bob"], untilMs: 9e15, keptMs: 60_000 } },
    "COMMAND_PLAN_MISSING",
  ],
  ["has expired", { expiresAtMs: 1 }, "COMMAND_EXPIRED"],
])("a proposal that %s is refused", async (_what, changes, code) => {
  await start();
  const command = await submit(proposed(changes));
  expect(await untilEnded(command)).toEqual({ state: "refused", code });
  expect([at.runner.plans, at.runner.effects]).toEqual([[], []]);
});

test.each([
  ["a plain command", proposed({ approval: undefined }), envelopeType],
  ["a command with an approval", proposed(), approvalEnvelopeType],
  ["what it isn't", proposed({ proposal: undefined }), proposalEnvelopeType],
])("a proposal that passes for %s is refused", async (_what, envelope, typ) => {
  await start();
  const command = await at.hub.submit(at.signer, envelope, { typ });
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_UNSIGNED" });
  expect(at.runner.plans).toEqual([]);
});
