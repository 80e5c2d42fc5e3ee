import { expect, test } from "vitest";
import { fairlead } from "../../profiles/index.ts";
import type { ClusterObject, MetricAnswer } from "../../snapshot/index.ts";
import { verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { reportOn, verdictOf } from "../../testing/judge.fixture.ts";
import { readStandIn } from "../../testing/stand-ins.fixture.ts";
import { prometheus } from "./index.ts";

const chart = readStandIn("prometheus/chart");
const answers = "prometheus.answers";
const labels = "prometheus.pod-labels";

test("where nobody wants Prometheus to be asked nothing is said of its answers, not even that they are unknown", () => {
  expect(Object.keys(verdictsOf(reportOn(prometheus, chart)))).not.toContain(answers);
  const hidden = new Map([["services", "forbidden"]]);
  expect(Object.keys(verdictsOf(reportOn(prometheus, chart, { hidden })))).not.toContain(answers);
});

test.each([
  [
    "all is up",
    [
      ["up", 12],
      ["all", 12],
    ],
    "pass",
    "It answers, and 12 of 12 targets are up.",
  ],
  [
    "little is up",
    [
      ["up", 2],
      ["all", 12],
    ],
    "warn",
    "less than half",
  ],
  [
    "nothing is up",
    [
      ["up", 0],
      ["all", 12],
    ],
    "fail",
    "nothing that it scrapes is up",
  ],
  ["it scrapes nothing", [], "fail", "nothing that it scrapes is up"],
] as const)("when %s", (_what, series, is, message) => {
  const verdict = verdictOf(prometheus, answers, chart, { metrics: everyAnswer(answered(series)) });
  expect(verdict).toMatchObject({ is, message: expect.stringContaining(message) });
});

test.each([
  [{ is: "refused", why: "it answers with status 503" }, "fail"],
  [{ is: "hidden", why: "ECONNREFUSED" }, "unknown"],
] as const)("%j is no answer: %s", (answer, is) => {
  for (const check of [answers, labels]) {
    const verdict = verdictOf(prometheus, check, chart, { metrics: everyAnswer(answer) });
    expect(verdict).toMatchObject({ is, message: expect.stringContaining(answer.why) });
  }
});

test("what wasn't asked yet is unknown", () => {
  expect(verdictOf(prometheus, answers, chart, { metrics: new Map() }).is).toBe("unknown");
});

test("labels of pods that Prometheus lacks are named; those that no pod has are none of them", () => {
  const pods = [podWith({ "truefoundry.com/application": "shop", "truefoundry.com/component": "web" })];
  const judge = (series: readonly (readonly [string, number])[], objects: readonly ClusterObject[] = pods) =>
    verdictOf(prometheus, labels, [...chart, ...objects], { metrics: everyAnswer(answered(series)) });
  expect(
    judge([
      ["any", 9],
      ["0", 1],
      ["1", 1],
    ]),
  ).toMatchObject({ is: "pass" });
  expect(
    judge([
      ["any", 9],
      ["0", 1],
    ]),
  ).toMatchObject({
    is: "warn",
    message: "Pods have labels that Prometheus lacks: truefoundry.com/component.",
  });
  expect(judge([["any", 9]], [])).toMatchObject({ is: "pass", message: expect.stringContaining("No pod has any") });
  expect(judge([])).toMatchObject({ is: "fail", message: expect.stringContaining("doesn't scrape") });
});

test("only a Service of the cluster that leads to Prometheus is asked, in PromQL that no label can turn into another", () => {
  const asked: string[] = [];
  const metrics = everyAnswer(answered([]), asked);
  const odd = `x"} or vector(1) # ${"y".repeat(10)}`;
  const podLabels = [odd, "nodeCapacityType"];
  const profile = { ...fairlead, kubeStateMetrics: { podLabels, nodeLabels: [] } };
  reportOn(prometheus, [...chart, podWith({ [odd]: "1", nodeCapacityType: "2" })], { metrics, profile });
  const port = "http://prometheus-kube-prometheus-prometheus.prometheus.svc:9090?";
  expect(asked.length).toBeGreaterThan(1);
  expect(
    asked.every((key) => key.startsWith(port) || key.startsWith("http://prometheus-operated.prometheus.svc:9090?")),
  ).toBe(true);
  const query = asked.find((key) => key.includes("kube_pod_labels")) ?? "";
  expect(query).toContain('label_x___or_vector_1____yyyyyyyyyy!=""');
  expect(query).toContain('label_node_capacity_type!=""');

  asked.length = 0;
  const outside = chart.map((object) =>
    object["kind"] === "Service"
      ? { ...object, spec: { ...(object["spec"] as object), type: "ExternalName", externalName: "example.com" } }
      : object,
  );
  expect(verdictOf(prometheus, answers, outside, { metrics }).is).toBe("unknown");
  expect(asked).toEqual([]);
});

function answered(series: readonly (readonly [string, number])[]): MetricAnswer {
  return { is: "answered", series: series.map(([which, value]) => ({ labels: { which }, value })) };
}

function everyAnswer(answer: MetricAnswer, asked: string[] = []): ReadonlyMap<string, MetricAnswer> {
  return new (class extends Map<string, MetricAnswer> {
    override get(key: string) {
      asked.push(key);
      return answer;
    }
  })();
}

function podWith(own: Readonly<Record<string, string>>): ClusterObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", labels: own } };
}
