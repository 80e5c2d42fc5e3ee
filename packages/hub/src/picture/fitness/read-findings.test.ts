import { expect, test } from "vitest";
import { readFindings } from "./read-findings.ts";

const whole = {
  fitness: "unfit",
  clusterType: "eks",
  verdicts: { pass: 3, warn: 0, fail: 1, unknown: 2 },
  addons: [{ id: "argocd", need: "essential", state: "healthy", version: "3.5.7", chartVersion: "9.5.11" }],
  features: [{ id: "deploy", state: "blocked" }],
  hidden: [{ resource: "nodes", why: "the agent has no right to it" }],
  examinedWith: { profile: "fairlead", generation: 7, catalogue: "0.1.0" },
};

test("an examination as agents make it is shown as it is", () => {
  expect(readFindings({ ...whole, domains: ["not here"] })).toEqual(whole);
});

test.each([
  undefined,
  null,
  "text",
  [],
  { addons: "none", verdicts: [1], features: [null], examinedWith: { generation: -1 } },
])("what isn't one (%j) is nothing worse than empty", (status) => {
  expect(readFindings(status)).toMatchObject({ fitness: "", addons: [], verdicts: { pass: 0 }, hidden: [] });
  expect(readFindings(status).examinedWith).toEqual({ profile: "", generation: 0, catalogue: "" });
});

test("however much an agent writes, a cluster takes a bounded part of the answer", () => {
  const huge = "\u0000".repeat(100_000);
  const many = Array.from({ length: 10_000 }, () => ({
    id: huge,
    need: huge,
    state: huge,
    version: huge,
    chartVersion: huge,
    resource: huge,
    why: huge,
  }));
  const findings = readFindings({ ...whole, fitness: huge, addons: many, features: many, hidden: many });
  expect(findings.addons).toHaveLength(200);
  expect(JSON.stringify(findings).length).toBeLessThan(256 * 1024);
});
