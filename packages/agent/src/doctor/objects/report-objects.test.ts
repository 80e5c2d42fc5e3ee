import { type AddonReport, type CheckReport, type Report, safe, script, type Verdict } from "@fairlead/doctor";
import { expect, test } from "vitest";
import { checkKind, examinationKind } from "../kinds.ts";
import { toReportObjects } from "./report-objects.ts";

const configMap = { resource: "configmaps", namespace: "argocd", name: "argocd-cm" };
const deployment = { resource: "deployments.apps", namespace: "argocd", name: "argocd-server" };

test("the same findings give the same bytes and uids, and another cluster's have other uids", () => {
  const verdict: Verdict = { is: "pass", message: "Fine.", evidence: [] };
  const [one, again, other] = [show(verdict), show(verdict), show(verdict, { clusterUid: "v" })];
  expect(again).toEqual(one);
  expect(other.uid).not.toBe(one.uid);
  expect(one.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a verdict names the profile, the generation and the catalogue that it was made with", () => {
  const { status } = show({ is: "pass", message: "Fine.", evidence: [] }).body;
  expect(status["examinedWith"]).toEqual({ profile: "fairlead", generation: 3, catalogue: "1.0.0" });
});

test.each([
  ["of a ConfigMap", { object: configMap, path: "data.url" }, "mask"],
  ["of a ConfigMap, also where environment variables are kept", { object: configMap, path: "data.url" }, "keep"],
  ["of an environment variable", { object: deployment, path: "spec.template.spec.containers[0].env[1].value" }, "mask"],
] as const)("a value %s stays in the cluster: not in evidence, message or fix", (_what, where, envValues) => {
  const verdict: Verdict = {
    is: "fail",
    message: "It is hunter2-secret, which is wrong.",
    evidence: [{ ...where, observed: "hunter2-secret", expected: "another" }],
    fix: {
      is: "patch",
      risk: safe,
      object: where.object,
      type: "merge",
      patch: { data: { url: "another,hunter2-secret" } },
    },
  };
  const { json, body } = show(verdict, { envValues });
  expect(json).not.toContain("hunter2-secret");
  expect(body.status["verdict"]).toBe("fail");
});

test("an argument is shown, and its fix can be applied as it stands", () => {
  const fix = { is: "command", risk: safe, command: script([["kubectl", "…"]]) } as const;
  const evidence = [
    { object: deployment, path: "spec.template.spec.containers[0].args", observed: "--a=1", expected: "--a=2" },
  ];
  expect(show({ is: "fail", message: "No.", evidence, fix }).body.status).toMatchObject({ fix, evidence });
});

test("nothing that a cluster's objects say makes an object of ours large", () => {
  const huge = "x".repeat(1_000_000);
  const evidence = Array.from({ length: 100 }, () => ({
    object: deployment,
    path: huge,
    observed: huge,
    expected: huge,
  }));
  const { json, body } = show({
    is: "fail",
    message: huge,
    evidence,
    fix: { is: "command", risk: safe, command: script([[huge]]) },
  });
  expect(json.length).toBeLessThan(64 * 1024);
  expect(body.status).toMatchObject({ isFixTooLarge: true });
});

test("an examination says the version of a chart where it is the catalogue's, which has a range for it", () => {
  const addon = (id: string, chart: string): AddonReport => ({
    id,
    title: id,
    need: "optional",
    state: "healthy",
    message: "",
    checks: [],
    installation: {
      presence: { is: "installed" },
      components: [],
      version: "3.1.0",
      chart: { name: chart, version: "9.5.11" },
    },
  });
  const report = { ...emptyReport, addons: [addon("argocd", "argo-cd"), addon("prometheus", "somebodys-prometheus")] };
  const examinedWith = { profile: "fairlead", generation: 3, catalogue: "1.0.0" };
  const [found] =
    toReportObjects({ report, examinedWith, clusterUid: "u", envValues: "mask" }).get(examinationKind) ?? [];
  const { status } = JSON.parse(Buffer.from(found?.json ?? "").toString("utf8")) as Body;
  expect(status["addons"]).toEqual([
    { id: "argocd", need: "optional", state: "healthy", version: "3.1.0", chartVersion: "9.5.11" },
    { id: "prometheus", need: "optional", state: "healthy", version: "3.1.0" },
  ]);
});

const emptyReport: Report = {
  profile: "fairlead",
  clusterType: { type: "generic", isOverridden: false, evidence: [] },
  addons: [],
  checks: [],
  features: [],
  hidden: [],
  gateways: [],
  domains: [],
  nodePools: [],
  gpus: [],
  storageClasses: [],
};

interface Body {
  readonly status: Readonly<Record<string, unknown>>;
}

function show(verdict: Verdict, { clusterUid = "u", envValues = "mask" as "mask" | "keep" } = {}) {
  const check: CheckReport["check"] = {
    id: "argocd.some",
    title: "It holds",
    why: "",
    severity: "required",
    features: [],
    judge: () => verdict,
  };
  const report: Report = { ...emptyReport, checks: [{ check, verdict }] };
  const examinedWith = { profile: "fairlead", generation: 3, catalogue: "1.0.0" };
  const found = toReportObjects({ report, examinedWith, clusterUid, envValues }).get(checkKind)?.[0];
  if (!found) throw new Error("no check was shown");
  const json = Buffer.from(found.json).toString("utf8");
  return { uid: found.uid, json, body: JSON.parse(json) as Body };
}
