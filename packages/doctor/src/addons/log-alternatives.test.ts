import { describe, expect, test } from "vitest";
import type { Addon } from "../catalogue/index.ts";
import type { Verdict } from "../checks/index.ts";
import { fairlead } from "../profiles/index.ts";
import { examineCluster } from "../report/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import { reportOn, setAt, verdictOf } from "../testing/judge.fixture.ts";
import { changed, clusterOf, readStandIn } from "../testing/stand-ins.fixture.ts";
import { alloy } from "./alloy.ts";
import { fluentBit } from "./fluent-bit/index.ts";
import { grafana } from "./grafana.ts";
import { loki } from "./loki.ts";
import { opentelemetryCollector } from "./opentelemetry-collector.ts";

test.each<[Addon, string, string, number]>([
  [alloy, "chart", "1.11.3", 0],
  [alloy, "promtail", "3.5.1", 0],
  [fluentBit, "chart", "4.2.0", 2],
  [fluentBit, "loki", "4.2.0", 2],
  [grafana, "chart", "13.2.0", 0],
  [loki, "chart", "3.6.2", 2],
  [opentelemetryCollector, "chart", "0.140.0", 1],
])("$id, %s, is fit", (addon, shape, version, checks) => {
  const report = reportOn(addon, readStandIn(`${addon.id}/${shape}`));
  expect(report).toMatchObject({ state: "healthy", installation: { version } });
  expect(report.checks.map(({ verdict }) => verdict.is)).toEqual(Array(checks).fill("pass"));
});

describe("Loki", () => {
  const chart = readStandIn("loki/chart");
  test.each<[string, string, string, string, unknown]>([
    ["loki.endpoint", "Service", "loki", "spec/ports", [{ port: 1 }]],
    ["loki.storage", "PersistentVolumeClaim", "storage-loki-0", "status/phase", "Pending"],
  ])("%s notices a changed %s", (check, kind, name, path, value) => {
    expect(
      verdictOf(
        loki,
        check,
        changed(chart, kind, name, (object) => setAt(object, path, value)),
      ).is,
    ).toBe("fail");
  });

  test("with object storage alone it needs no volume", () => {
    const cluster = changed(chart, "StatefulSet", "loki", (set) => setAt(set, "spec/volumeClaimTemplates", undefined));
    expect(reportOn(loki, cluster).checks.map(({ check }) => check.id)).toEqual(["loki.endpoint"]);
  });
});

describe("Fluent Bit", () => {
  test.each<[check: string, notices: string, shape: string, from: string | RegExp, to: string, is: Verdict["is"]]>([
    ["output", "another address", "chart", "/insert/jsonline", "/elsewhere", "fail"],
    ["output", "lines written to its own log", "loki", "Name loki", "Name stdout", "fail"],
    ["labels", "no stream fields", "chart", /_stream_fields=[^&]*&/, "", "fail"],
    [
      "labels",
      "stream fields in a header",
      "chart",
      /_stream_fields=.*/,
      "_x\n        Header VL-Stream-Fields pod",
      "pass",
    ],
    ["labels", "no labels for Loki", "loki", "auto_kubernetes_labels on", "", "fail"],
    ["labels", "labels by hand", "loki", "auto_kubernetes_labels on", "Labels pod=$kubernetes['pod_name']", "pass"],
    ["labels", "nobody says which pod a line is of", "loki", "Name kubernetes", "Name grep", "fail"],
    ["output", "no outputs in the classic format", "chart", "[OUTPUT]", "[INPUT]", "unknown"],
  ])("%s notices: %s", (check, _, shape, from, to, is) => {
    expect(verdictOf(fluentBit, `fluent-bit.${check}`, withText(`fluent-bit/${shape}`, from, to)).is).toBe(is);
  });

  test("what else an output says, such as a password, is no evidence", () => {
    const report = reportOn(fluentBit, readStandIn("fluent-bit/chart"));
    expect(JSON.stringify(report.checks)).not.toContain("hunter2");
  });

  test("a ConfigMap that may not be read is unknown", () => {
    const hidden = new Map([["configmaps", "forbidden"]]);
    expect(verdictOf(fluentBit, "fluent-bit.output", readStandIn("fluent-bit/chart"), { hidden })).toMatchObject({
      is: "unknown",
      fix: { is: "manifest" },
    });
  });
});

test.each<[string, string | RegExp, string, Verdict["is"]]>([
  ["reads no files of logs", "[filelog/pods]", "[otlp]", "fail"],
  ["doesn't say which pod a line is of", "[k8sattributes, batch]", "[batch]", "fail"],
  ["sends lines to its own log", "[otlphttp/logs]", "[debug]", "fail"],
  ["has a pipeline for traces alone", "logs/pods:", "traces:", "fail"],
  ["can't be read", "service:", "service: [", "unknown"],
])("an OpenTelemetry Collector that %s is noticed", (_, from, to, is) => {
  const cluster = withText("opentelemetry-collector/chart", from, to);
  expect(verdictOf(opentelemetryCollector, "opentelemetry-collector.logs", cluster).is).toBe(is);
});

test("an OpenTelemetry Collector as a gateway collects nothing", () => {
  const gateway = readStandIn("opentelemetry-collector/chart").map((object) =>
    object.kind === "DaemonSet" ? { ...object, kind: "Deployment", status: { readyReplicas: 1 } } : object,
  );
  expect(verdictOf(opentelemetryCollector, "opentelemetry-collector.logs", gateway).is).toBe("fail");
});

test.each([
  [["victoria-logs/chart", "vector/chart"], "available"],
  [["loki/chart", "fluent-bit/loki"], "available"],
  [["loki/chart", "alloy/promtail"], "available"],
  [["loki/chart"], "blocked"],
  [["vector/chart"], "blocked"],
])("logs with %j are %s", (paths, state) => {
  const now = new Date("2026-01-01T00:00:00Z");
  const { features } = examineCluster({ snapshot: clusterOf(...paths), profile: fairlead, now });
  expect(features.find(({ feature }) => feature === "logs")?.state).toBe(state);
});

function withText(path: string, from: string | RegExp, to: string): ClusterObject[] {
  const objects = structuredClone(readStandIn(path));
  const data = objects.find(({ kind }) => kind === "ConfigMap")?.["data"] as Record<string, string>;
  const [key] = Object.keys(data);
  if (key === undefined) throw new Error(`${path} has no configuration`);
  data[key] = (data[key] ?? "").replace(from, () => to);
  return objects;
}
