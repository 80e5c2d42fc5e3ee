import { describe, expect, test } from "vitest";
import type { Verdict } from "../../checks/index.ts";
import { fairlead, truefoundry } from "../../profiles/index.ts";
import type { ClusterObject } from "../../snapshot/index.ts";
import { verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../../testing/judge.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { vector } from "./index.ts";

const chart = readStandIn("vector/chart");
const all = ["glob-cooldown", "pod-labels", "sink", "stream-fields", "time-field", "tolerations"];

describe.each([
  ["chart", "0.56.0", "with a projected volume, one sink for each server, and fields in the query"],
  ["upstream", "0.52.0", "with a ConfigMap as a volume, and fields in headers"],
])("%s (%s), %s,", (shape, version) => {
  test("is fit", () => {
    const report = reportOn(vector, readStandIn(`vector/${shape}`));
    expect(report).toMatchObject({ state: "healthy", installation: { version } });
    expect(verdictsOf(report)).toEqual(Object.fromEntries(all.map((name) => [`vector.${name}`, "pass"])));
  });
});

const { streamFields } = truefoundry.logs;

test.each<[check: string, notices: string, from: string | RegExp, to: string, is: Verdict["is"]]>([
  ["sink", "Elasticsearch itself", "/insert/elasticsearch/", "/", "fail"],
  ["sink", "another kind of sink", "type: elasticsearch", "type: console", "fail"],
  ["sink", "Loki, which is as good", "type: elasticsearch", "type: loki\n    labels: { pod: x }", "pass"],
  ["stream-fields", "one is missing", "job_name,", "", "fail"],
  ["stream-fields", "none", /_stream_fields.*/, "", "fail"],
  ["stream-fields", "more than asked for, with spaces", "_stream_fields: ", "_stream_fields: node, ", "pass"],
  ["stream-fields", "a list of them", /_stream_fields.*/, `_stream_fields: [${streamFields.join(", ")}]`, "pass"],
  ["stream-fields", "only the headers of before", /query:.*/s, headers(streamFields.join(",")), "pass"],
  [
    "stream-fields",
    "a header in small letters",
    /query:.*/s,
    headers(streamFields.join(",")).replaceAll("VL-", "vl-"),
    "pass",
  ],
  ["stream-fields", "upstream's own names", /query:.*/s, headers("kubernetes.pod_name,stream"), "fail"],
  [
    "stream-fields",
    "the query beats the header",
    /_stream_fields.*/,
    `_stream_fields: pod\n    ${headers(streamFields.join(","))}`,
    "fail",
  ],
  ["time-field", "another name", "_time_field: timestamp", "_time_field: _time", "fail"],
  ["time-field", "none", "_time_field: timestamp", "", "fail"],
  ["glob-cooldown", "the default of a minute", "glob_minimum_cooldown_ms: 1000", "", "fail"],
  ["glob-cooldown", "five seconds", "glob_minimum_cooldown_ms: 1000", "glob_minimum_cooldown_ms: 5000", "fail"],
  ["glob-cooldown", "half a second", "glob_minimum_cooldown_ms: 1000", "glob_minimum_cooldown_ms: 500", "pass"],
  ["glob-cooldown", "no logs of pods at all", "type: kubernetes_logs", "type: internal_logs", "fail"],
  ["pod-labels", "nobody writes labels", ".kubernetes.pod_labels", ".kubernetes.node_labels", "fail"],
  ["pod-labels", "the remap isn't on the way", "inputs: [parser]", "inputs: [k8s]", "fail"],
  ["pod-labels", "a wildcard among inputs", "inputs: [parser]", 'inputs: ["pars*"]', "pass"],
  ["pod-labels", "inputs in a circle", "inputs: [k8s]", "inputs: [parser]", "pass"],
  ["sink", "YAML that can't be read", "sinks:", "sinks: [", "unknown"],
  ["sink", "no sinks and no sources", /.*/s, "data_dir: /tmp", "unknown"],
])("%s notices: %s", (check, _, from, to, is) => {
  expect(verdictOf(vector, `vector.${check}`, withConfig(from, to)).is).toBe(is);
});

test.each(["agent.toml", "agent.json"])("a configuration in %s is unknown, neither right nor wrong", (key) => {
  const cluster = changed(chart, "ConfigMap", "vector", (map) => setAt(map, "data", { [key]: "x" }));
  const report = reportOn(vector, cluster);
  expect(report.state).toBe("unknown");
  expect(verdictsOf(report)).toMatchObject({ "vector.sink": "unknown", "vector.tolerations": "pass" });
});

test("so is one in a Secret", () => {
  const volumes = [{ name: "config", projected: { sources: [{ secret: { name: "vector" } }] } }];
  const cluster = changed(chart, "DaemonSet", "vector", (set) => setAt(set, "spec/template/spec/volumes", volumes));
  expect(verdictOf(vector, "vector.sink", cluster)).toMatchObject({
    is: "unknown",
    message: "The configuration of Vector isn't known: its configuration is in a Secret.",
  });
});

test("a ConfigMap that may not be read is unknown, with the Role that allows it", () => {
  const hidden = new Map([["configmaps", "forbidden"]]);
  const verdict = verdictOf(vector, "vector.sink", chart, { hidden });
  expect(verdict).toMatchObject({
    is: "unknown",
    fix: {
      objects: [{ kind: "Role", rules: [{ resourceNames: ["vector"], verbs: ["get"] }] }, { kind: "RoleBinding" }],
    },
  });
});

test("a password in the address of a sink is no evidence", () => {
  const verdict = verdictOf(vector, "vector.sink", withConfig("http://victoria", "http://me:hunter2@victoria"));
  expect(verdict.evidence[0]?.observed).toContain("http://victoria-logs");
  expect(JSON.stringify(verdict)).not.toContain("hunter2");
});

test("anchors that unfold into very much leave the configuration unknown", () => {
  const rows = [..."bcdefgh"].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`)}]`);
  const cluster = withConfig(/.*/s, ["a: &a [x, x]", ...rows].join("\n"));
  expect(verdictOf(vector, "vector.sink", cluster)).toMatchObject({
    is: "unknown",
    message: expect.stringContaining("can't be read as YAML"),
  });
});

test("a ConfigMap that isn't there is unknown", () => {
  const verdict = verdictOf(vector, "vector.sink", chart.slice(0, 1));
  expect(verdict).toMatchObject({ is: "unknown", message: expect.stringContaining("isn't there") });
});

test("an aggregator collects no logs", () => {
  const cluster = chart.map((object) => (object.kind === "DaemonSet" ? { ...object, kind: "StatefulSet" } : object));
  expect(verdictOf(vector, "vector.sink", cluster).is).toBe("fail");
});

test("the fix for stream fields keeps those that are there", () => {
  expect(
    verdictOf(vector, "vector.stream-fields", withConfig(/_stream_fields.*/, "_stream_fields: node,pod")),
  ).toMatchObject({
    evidence: [{ path: 'data["agent.yaml"]: sinks.vlogs-0.query._stream_fields', observed: "node,pod" }],
    fix: {
      values: {
        customConfig: {
          sinks: {
            "vlogs-0": {
              query: { _stream_fields: `node,pod,${streamFields.filter((field) => field !== "pod").join(",")}` },
            },
          },
        },
      },
    },
  });
});

describe("tolerations", () => {
  const gpuNode: ClusterObject = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "gpu" },
    spec: { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] },
  };
  const exists = (effect: string) => ({ operator: "Exists", effect });
  test.each<[string, unknown, Verdict["is"]]>([
    ["none, the chart's default", undefined, "fail"],
    ["all, effect by effect", [exists("NoSchedule"), exists("NoExecute")], "pass"],
    ["only what evicts", [exists("NoExecute")], "fail"],
    ["the node's taint alone", [{ key: "nvidia.com/gpu", operator: "Exists" }], "pass"],
    ["the node's taint with another value", [{ key: "nvidia.com/gpu", value: "true" }], "fail"],
  ])("%s", (_, tolerations, is) => {
    const cluster = changed(chart, "DaemonSet", "vector", (set) =>
      setAt(set, "spec/template/spec/tolerations", tolerations),
    );
    expect(verdictOf(vector, "vector.tolerations", [...cluster, gpuNode], { profile: fairlead }).is).toBe(is);
  });

  test("a pool of the profile that has no node yet counts", () => {
    const cluster = changed(chart, "DaemonSet", "vector", (set) => setAt(set, "spec/template/spec/tolerations", []));
    expect(verdictOf(vector, "vector.tolerations", cluster, { profile: fairlead }).is).toBe("pass");
    expect(verdictOf(vector, "vector.tolerations", cluster).is).toBe("fail");
  });
});

function headers(fields: string): string {
  return `request: { headers: { VL-Time-Field: timestamp, VL-Stream-Fields: "${fields}" } }\n`;
}

function withConfig(from: string | RegExp, to: string): ClusterObject[] {
  return changed(chart, "ConfigMap", "vector", (map) => {
    const data = map["data"] as Record<string, string>;
    const before = data["agent.yaml"] as string;
    const after = before.replace(from, () => to);
    if (after === before) throw new Error(`nothing to change: ${from}`);
    data["agent.yaml"] = after;
  });
}
