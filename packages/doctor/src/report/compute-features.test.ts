import { expect, test } from "vitest";
import type { Check, Verdict } from "../checks/index.ts";
import type { FeatureId } from "../features/index.ts";
import { computeFeatures } from "./compute-features.ts";
import type { AddonReport, AddonState, CheckReport } from "./report.ts";

/** Logs need one as well. */
const collector = addon("vector", "healthy");

test.each<[string, FeatureId, AddonReport[], string, string[]]>([
  ["a healthy addon makes it available", "canary", [addon("argo-rollouts", "healthy")], "available", []],
  [
    "a provider's addon counts as well",
    "autoscaling-by-cpu",
    [addon("metrics-server", "provider-managed")],
    "available",
    [],
  ],
  ["without the addon it is blocked", "canary", [addon("argo-rollouts", "absent")], "blocked", ["argo-rollouts"]],
  [
    "a residue of definitions is no addon",
    "canary",
    [addon("argo-rollouts", "crds-only")],
    "blocked",
    ["argo-rollouts"],
  ],
  [
    "an addon that limps leaves it degraded",
    "canary",
    [addon("argo-rollouts", "degraded")],
    "degraded",
    ["argo-rollouts"],
  ],
  [
    "an addon that may be hidden leaves it unknown",
    "canary",
    [addon("argo-rollouts", "unknown")],
    "unknown",
    ["argo-rollouts"],
  ],
  [
    "Loki does for VictoriaLogs",
    "logs",
    [collector, addon("victoria-logs", "absent"), addon("loki", "healthy")],
    "available",
    [],
  ],
  [
    "the best of several counts",
    "logs",
    [collector, addon("victoria-logs", "degraded"), addon("loki", "healthy")],
    "available",
    [],
  ],
  [
    "without any of several, the usual one is named",
    "logs",
    [collector, addon("loki", "absent"), addon("victoria-logs", "absent")],
    "blocked",
    ["victoria-logs"],
  ],
  [
    "where the other one may be hidden, nobody says blocked",
    "logs",
    [collector, addon("victoria-logs", "absent"), addon("loki", "unknown")],
    "unknown",
    ["loki"],
  ],
  [
    "Ingress does for Istio",
    "ingress",
    [addon("istio-ingress", "absent"), addon("gateway-api", "crds-only"), addon("ingress", "healthy")],
    "available",
    [],
  ],
  [
    "of the addons that it needs all must be there",
    "autoscaling-by-requests",
    [
      addon("istio", "absent"),
      addon("keda", "healthy"),
      addon("prometheus", "healthy"),
      addon("victoria-metrics", "absent"),
    ],
    "blocked",
    ["istio"],
  ],
])("%s", (_name, feature, addons, state, because) => {
  const found = featureOf(feature, { addons });
  expect(found?.state).toBe(state);
  expect(found?.because.map((reason) => reason.addon)).toEqual(because);
});

const failing: Verdict = { is: "fail", message: "It isn't.", evidence: [] };
const unclear: Verdict = { is: "unknown", message: "Hidden.", evidence: [] };

test.each<[string, CheckReport, AddonState, string]>([
  ["a required check that fails blocks it", report("required", failing), "misconfigured", "blocked"],
  ["an optional one that fails blocks it", report("optional", failing), "healthy", "blocked"],
  ["an optional one that can't be judged leaves it unknown", report("optional", unclear), "healthy", "unknown"],
  ["a recommended one degrades it", report("recommended", failing), "healthy", "degraded"],
  ["a required one that can't be judged leaves it unknown", report("required", unclear), "unknown", "unknown"],
  ["a recommended one that can't be judged leaves it as it is", report("recommended", unclear), "healthy", "available"],
  ["one of another feature doesn't matter", report("required", failing, ["jobs"]), "misconfigured", "available"],
  [
    "one of another feature that can't be judged doesn't either",
    report("required", unclear, ["jobs"]),
    "unknown",
    "available",
  ],
])("a check: %s", (_name, check, state, expected) => {
  const addons = [addon("argo-rollouts", state, [check])];
  const found = featureOf("canary", { addons });
  expect(found?.state).toBe(expected);
  expect(found?.because.map((reason) => reason.check)).toEqual(expected === "available" ? [] : [check.check.id]);
});

test("a check of the whole cluster counts for a feature that needs no addon", () => {
  expect(featureOf("volumes-rwo", { checks: [] })?.state).toBe("available");
  const checks = [report("required", failing, ["volumes-rwo"])];
  expect(featureOf("volumes-rwo", { checks })).toMatchObject({ state: "blocked", because: [{ message: "It isn't." }] });
});

function featureOf(wanted: FeatureId, { addons = [], checks = [] }: Partial<Parameters<typeof computeFeatures>[0]>) {
  return computeFeatures({ addons, checks }).find(({ feature }) => feature === wanted);
}

function addon(id: string, state: AddonState, checks: readonly CheckReport[] = []): AddonReport {
  const isHidden = state === "unknown" && checks.length === 0;
  return {
    id,
    title: id,
    need: "optional",
    state,
    message: `${id} is ${state}.`,
    installation: {
      presence: isHidden
        ? { is: "unknown", why: "forbidden" }
        : { is: state === "absent" || state === "crds-only" ? state : "installed" },
      components: [],
    },
    checks,
  };
}

function report(
  severity: Check["severity"],
  verdict: Verdict,
  features: readonly FeatureId[] = ["canary"],
): CheckReport {
  const check = { id: "some.check", title: "It is", why: "", severity, features, judge: () => verdict };
  return { check, verdict };
}
