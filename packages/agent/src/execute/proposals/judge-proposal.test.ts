import type { EnvelopeProposal } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createCommandRunners } from "../runners.ts";
import { judgeProposal } from "./judge-proposal.ts";

const runners = createCommandRunners();
const listed = "https://charts.example.com";
const unseen: EnvelopeProposal = { isVouched: false, planApprovedBy: [] };

function judge(kind: keyof typeof runners, spec: object, proposal: EnvelopeProposal = unseen) {
  const listsChart = (place: string): boolean => place === listed || place.startsWith("oci://registry.example.com/");
  return judgeProposal({ proposal }, () => ({ kind, spec: runners[kind]?.parse(spec), listsChart }));
}

const manifests = {
  set: "s",
  manifests: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
};
const chart = { repository: listed, name: "web", version: "1.0.0" };
const helm = { release: "web", namespace: "shop", chart };
const commit = "a".repeat(40);
const tofu = { name: "net", namespace: "shop", source: { files: { "main.tf": "" } } };
const secret = { secret: "shop/login" };

test.each<[string, keyof typeof runners, object]>([
  ["manifests, which bring no code", "manifests", manifests],
  ["a chart of a listed repository", "helm", helm],
  [
    "a chart of a listed registry",
    "helm",
    { ...helm, chart: { oci: "oci://registry.example.com/web", version: "1.0.0" } },
  ],
  ["a chart with plain values", "helm", { ...helm, values: { a: "${b}", c: 1 } }],
  [
    "a flow of such steps and of waits",
    "flow",
    flow({ id: "a", manifests }, { id: "b", helm }, { id: "c", wait: wait() }),
  ],
])("%s is planned at once", (_what, kind, spec) => {
  expect(judge(kind, spec)).toEqual({ mayPlan: true });
});

test.each<[string, keyof typeof runners, object, RegExp]>([
  ["a configuration of OpenTofu", "tofu", tofu, /providers/],
  ["an inline chart", "helm", { ...helm, chart: { files: { "Chart.yaml": "{}" } } }, /its own chart/],
  ["a chart in git", "helm", { ...helm, chart: { git: { url: "https://git.example.com/a", commit } } }, /git/],
  [
    "a chart of another repository",
    "helm",
    { ...helm, chart: { ...chart, repository: "https://evil.example" } },
    /list/,
  ],
  ["a chart that takes credentials", "helm", { ...helm, chart: { ...chart, credentials: secret } }, /credentials/],
  ["values from a Secret", "helm", { ...helm, valuesFrom: [secret] }, /values/],
  ["values from a ConfigMap", "helm", { ...helm, valuesFrom: [{ configMap: "other/c" }] }, /values/],
  ["a value that refers to a Secret", "helm", { ...helm, values: { a: ["${secret:shop/a/b}"] } }, /values/],
  [
    "a value that is a template",
    "helm",
    { ...helm, values: { a: { b: '{{ lookup "v1" "Pod" "" "" }}' } } },
    /template/,
  ],
  ["a name of a value that is a template", "helm", { ...helm, values: { "{{ now }}": 1 } }, /template/],
  ["values of the release", "helm", { ...helm, reuseValues: true }, /reuses/],
  ["a rollback", "helm", { release: "web", namespace: "shop", action: "rollback" }, /rollback/],
  ["tests of a release", "helm", { release: "web", namespace: "shop", action: "test" }, /test/],
  ["an uninstallation", "helm", { release: "web", namespace: "shop", action: "uninstall" }, /uninstall/],
  ["a flow with one such step", "flow", flow({ id: "a", manifests }, { id: "b", tofu }), /^step b: /],
  [
    "a flow whose earlier step chooses the chart",
    "flow",
    flow({ id: "a", manifests }, { id: "b", helm: { ...helm, chart: { ...chart, name: "${steps.a.outputs.x}" } } }),
    /^step b: earlier steps/,
  ],
])("%s is held back, and planned when somebody has approved that", (_what, kind, spec, why) => {
  const verdict: unknown = judge(kind, spec);
  expect(verdict).toEqual({ mayPlan: false, why: expect.stringMatching(why) });
  expect(judge(kind, spec, { isVouched: false, planApprovedBy: ["bob"] })).toEqual({ mayPlan: true });
  expect(judge(kind, spec, { isVouched: true, planApprovedBy: [] })).toEqual({ mayPlan: true });
});

test("a command that is no proposal isn't judged", () => {
  const ask = (): never => {
    throw new Error("nobody asks for its spec");
  };
  expect(judgeProposal({ proposal: undefined }, ask)).toEqual({ mayPlan: true });
});

function flow(...steps: readonly object[]): object {
  return { name: "f", namespace: "shop", steps };
}

function wait(): object {
  return { apiVersion: "v1", kind: "Pod", name: "a", until: "ready" };
}
