import { expect, test } from "vitest";
import { allPass, examineAddon, verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { fairleadAgent } from "./fairlead-agent.ts";

const chart = readStandIn("fairlead-agent/chart");

test("as the chart installs it, it is fit", () => {
  const report = examineAddon(fairleadAgent, chart);
  expect(verdictsOf(report)).toEqual(allPass(fairleadAgent));
  expect(report).toMatchObject({
    state: "healthy",
    installation: {
      version: "0.1.0",
      provenance: { is: "helm", namespace: "fairlead", release: "fairlead-agent", chart: "fairlead-agent-0.1.0" },
      components: [{ name: "observe" }, { name: "proxy" }, { name: "execute" }],
    },
  });
});

test("one role alone is an agent, under any name and from any mirror", () => {
  const alone = changed(chart, "Deployment", "fairlead-agent-observe", ({ metadata, spec }) => {
    Object.assign(metadata, { name: "watcher", namespace: "tools" });
    Object.assign(containerOf(spec), { image: "mirror.local:5000/renamed:0.1.0" });
  }).filter(({ metadata }) => metadata.name === "watcher");
  const report = examineAddon(fairleadAgent, alone);
  expect(report).toMatchObject({ state: "healthy", installation: { version: "0.1.0" } });
});

test.each<[string, (object: Record<string, unknown>) => void, string, string, string]>([
  [
    "no pod of a role is ready",
    (object) => Object.assign(object, { status: { replicas: 2 } }),
    "roles-ready",
    "fail",
    "0",
  ],
  [
    "a role dials another hub",
    ({ spec }) => Object.assign(containerOf(spec), { args: ["--hub", "https://old.example.com:8444"] }),
    "one-hub",
    "warn",
    "https://old.example.com:8444",
  ],
  [
    "a role was left behind",
    ({ spec }) => Object.assign(containerOf(spec), { image: "registry.example.com/fairlead/agent:0.0.9" }),
    "one-version",
    "warn",
    "0.0.9",
  ],
  ["a role has one pod", ({ spec }) => Object.assign(spec as object, { replicas: 1 }), "two-replicas", "warn", "1"],
])("%s", (_name, change, check, verdict, observed) => {
  const report = examineAddon(fairleadAgent, changed(chart, "Deployment", "fairlead-agent-proxy", change));
  expect(verdictsOf(report)).toEqual({ ...allPass(fairleadAgent), [`fairlead-agent.${check}`]: verdict });
  const judged = report.checks.find((each) => each.check.id === `fairlead-agent.${check}`)?.verdict;
  expect(judged?.evidence).toMatchObject([{ object: { name: "fairlead-agent-proxy" }, observed }]);
  expect(report.state).toBe(verdict === "fail" ? "misconfigured" : "healthy");
});

test("the fix for one pod is a value of the chart, or a patch where no chart made it", () => {
  const lone = changed(chart, "Deployment", "fairlead-agent-proxy", ({ spec }) => {
    Object.assign(spec as object, { replicas: 1 });
  });
  expect(fixOf(lone)).toMatchObject({ is: "helm-values", values: { proxy: { replicas: 2 } } });
  const bare = lone.map((object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {},
      labels: { "app.kubernetes.io/part-of": "fairlead", "app.kubernetes.io/component": "proxy" },
    },
  }));
  expect(fixOf(bare)).toMatchObject({ is: "patch", patch: { spec: { replicas: 2 } } });
});

function fixOf(objects: Parameters<typeof examineAddon>[1]) {
  const { checks } = examineAddon(fairleadAgent, objects);
  const verdict = checks.find(({ check }) => check.id === "fairlead-agent.two-replicas")?.verdict;
  return verdict && "fix" in verdict ? verdict.fix : undefined;
}

function containerOf(spec: unknown): Record<string, unknown> {
  const { template } = spec as { template: { spec: { containers: Record<string, unknown>[] } } };
  return template.spec.containers[0] ?? {};
}
