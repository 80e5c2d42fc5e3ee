import { describe, expect, test } from "vitest";
import {
  approvalEnvelopeType,
  type CommandEnvelope,
  envelopeType,
  envelopeTypeOf,
  parseCommandEnvelope,
  proposalEnvelopeType,
} from "./command-envelope.ts";

const plain: CommandEnvelope = {
  id: "cmd_1",
  cluster: "edge",
  kind: "tofu",
  spec: {},
  dryRun: false,
  requester: "ana",
  issuedAtMs: 1,
  expiresAtMs: 2,
};
const approval = { is: "needed", keptMs: 60_000 } as const;
const proposal = { isVouched: false, planApprovedBy: [] } as const;

describe("the type of an envelope", () => {
  test.each([
    ["neither", {}, envelopeType],
    ["an approval", { approval }, approvalEnvelopeType],
    ["a proposal that is a dry run", { proposal }, proposalEnvelopeType],
    ["a proposal that needs approval", { approval, proposal }, proposalEnvelopeType],
  ])("%s", (_, parts, type) => expect(envelopeTypeOf(parts)).toBe(type));

  test("no two are alike", () => {
    expect(new Set([envelopeType, approvalEnvelopeType, proposalEnvelopeType])).toHaveLength(3);
  });
});

describe("a proposal", () => {
  test.each([proposal, { isVouched: true, planApprovedBy: [] }, { isVouched: false, planApprovedBy: ["ben", "cho"] }])(
    "is read as it was written: %j",
    (one) => {
      expect(parseCommandEnvelope(JSON.stringify({ ...plain, approval, proposal: one }))?.proposal).toEqual(one);
    },
  );

  test("is absent from an envelope that isn't one", () => {
    expect(parseCommandEnvelope(JSON.stringify(plain))?.proposal).toBeUndefined();
  });

  test.each([
    ["null", null],
    ["a text", "yes"],
    ["without members", {}],
    ["without who approved planning", { isVouched: true }],
    ["without whether it is vouched for", { planApprovedBy: [] }],
    ["whose word is no boolean", { isVouched: "false", planApprovedBy: [] }],
    ["whose approvers are no texts", { isVouched: false, planApprovedBy: [1] }],
  ])("makes the whole envelope invalid: %s", (_, one) => {
    expect(parseCommandEnvelope(JSON.stringify({ ...plain, proposal: one }))).toBeUndefined();
  });
});
