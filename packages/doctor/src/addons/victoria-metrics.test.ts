import { expect, test } from "vitest";
import type { Verdict } from "../checks/index.ts";
import { verdictsOf } from "../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../testing/judge.fixture.ts";
import { changed, readStandIn } from "../testing/stand-ins.fixture.ts";
import { victoriaMetrics } from "./victoria-metrics.ts";

const chart = readStandIn("victoria-metrics/chart");
const server = ["Deployment", "vmsingle-main"] as const;
const agent = ["VMAgent", "main"] as const;
const ours = { matchLabels: { release: "prometheus" } };

test("under its operator it is fit", () => {
  const report = reportOn(victoriaMetrics, chart);
  expect(report).toMatchObject({ state: "healthy", installation: { version: "1.135.0" } });
  expect(verdictsOf(report)).toEqual({
    "victoria-metrics.alertmanager-matcher": "pass",
    "victoria-metrics.endpoint": "pass",
    "victoria-metrics.monitors-selected": "pass",
    "victoria-metrics.retention": "pass",
    "victoria-metrics.storage": "pass",
  });
});

test("so is a cluster of servers without an operator", () => {
  const report = reportOn(victoriaMetrics, readStandIn("victoria-metrics/cluster"));
  expect(report).toMatchObject({ state: "healthy", installation: { version: "1.135.0" } });
  expect(new Set(Object.values(verdictsOf(report)))).toEqual(new Set(["pass"]));
});

test("its CRDs alone serve nothing", () => {
  const rest = chart.filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(reportOn(victoriaMetrics, rest).state).toBe("crds-only");
});

test.each<[string, string, readonly [string, string], string, unknown, Verdict["is"]]>([
  ["alertmanager-matcher", "the default", ["VMAlertmanager", "main"], "spec", {}, "fail"],
  ["monitors-selected", "no selector at all", agent, "spec", {}, "fail"],
  ["monitors-selected", "ours in its own namespace alone", agent, "spec", { serviceScrapeSelector: ours }, "fail"],
  [
    "monitors-selected",
    "ours in all namespaces",
    agent,
    "spec",
    { serviceScrapeSelector: ours, serviceScrapeNamespaceSelector: {} },
    "pass",
  ],
  ["retention", "a week", server, "spec/template/spec/containers/0/args", ["-retentionPeriod=7d"], "fail"],
  ["storage", "a volume that waits", ["PersistentVolumeClaim", "vmsingle-main"], "status/phase", "Pending", "fail"],
  ["storage", "no volume", server, "spec/template/spec/volumes", undefined, "warn"],
  ["endpoint", "no Service", ["Service", "vmsingle-main"], "metadata/namespace", "other", "fail"],
])("%s notices: %s", (check, _, [kind, name], path, value, is) => {
  const cluster = changed(chart, kind, name, (object) => setAt(object, path, value));
  const verdict = verdictOf(victoriaMetrics, `victoria-metrics.${check}`, cluster);
  expect(verdict.is).toBe(is);
  expect(verdict.evidence.length).toBeGreaterThan(0);
});
