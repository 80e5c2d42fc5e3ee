import { expect, test } from "vitest";
import type { Verdict } from "../../checks/index.ts";
import { setAt, verdictOf } from "../../testing/judge.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { prometheus } from "./index.ts";

const name = "prometheus-kube-prometheus-prometheus";
const set = ["StatefulSet", `prometheus-${name}`] as const;
const claim = ["PersistentVolumeClaim", `prometheus-${name}-db-prometheus-${name}-0`] as const;
const server = ["Prometheus", name] as const;
const manager = ["Alertmanager", "prometheus-kube-prometheus-alertmanager"] as const;
const service = ["Service", "prometheus-operated"] as const;
const operator = ["Deployment", "prometheus-kube-prometheus-operator"] as const;
const otherTeam = { matchLabels: { team: "a" } };
const otherRelease = { matchLabels: { release: "kps" } };

type Target = readonly [kind: string, name: string];

test.each<[check: string, notices: string, Target, path: string, value: unknown, is: Verdict["is"]]>([
  [
    "alertmanager-matcher-strategy",
    "the chart's default of Alertmanager",
    manager,
    "spec/alertmanagerConfigMatcherStrategy",
    undefined,
    "fail",
  ],
  [
    "alertmanager-matcher-strategy",
    "only Alertmanager's own namespace is free",
    manager,
    "spec/alertmanagerConfigMatcherStrategy/type",
    "OnNamespaceExceptForAlertmanagerNamespace",
    "fail",
  ],
  [
    "alert-routes-selected",
    "no selector of routes, which takes none",
    manager,
    "spec/alertmanagerConfigSelector",
    undefined,
    "fail",
  ],
  [
    "alert-routes-selected",
    "a selector of routes with another label",
    manager,
    "spec/alertmanagerConfigSelector",
    otherTeam,
    "fail",
  ],
  [
    "alert-routes-selected",
    "routes of another namespace alone",
    manager,
    "spec/alertmanagerConfigNamespaceSelector",
    otherTeam,
    "fail",
  ],
  ["monitors-selected", "the release has another name", server, "spec/serviceMonitorSelector", otherRelease, "fail"],
  [
    "monitors-selected",
    "an expression that shuts ours out",
    server,
    "spec/podMonitorSelector",
    { matchExpressions: [{ key: "release", operator: "NotIn", values: ["prometheus"] }] },
    "fail",
  ],
  ["monitors-selected", "no selector of scrape configs", server, "spec/scrapeConfigSelector", undefined, "fail"],
  [
    "monitors-selected",
    "monitors of its own namespace alone",
    server,
    "spec/serviceMonitorNamespaceSelector",
    undefined,
    "fail",
  ],
  [
    "monitors-selected",
    "monitors of some namespaces",
    server,
    "spec/serviceMonitorNamespaceSelector",
    otherTeam,
    "warn",
  ],
  ["rules-selected", "rules of another release", server, "spec/ruleSelector", otherRelease, "fail"],
  [
    "available",
    "the operator could not carry it out",
    server,
    "status/conditions",
    [
      { type: "Available", status: "True" },
      { type: "Reconciled", status: "False", message: "no" },
    ],
    "fail",
  ],
  ["retention", "a shorter retention", server, "spec/retention", "10d", "fail"],
  ["retention", "no retention, which is a day", server, "spec/retention", undefined, "fail"],
  ["storage", "no volume", set, "spec/volumeClaimTemplates", undefined, "warn"],
  ["storage", "a volume that waits for a storage class", claim, "status/phase", "Pending", "fail"],
  ["endpoint", "no Service leads to it", service, "spec/selector", { app: "other" }, "fail"],
  ["operator", "the operator isn't ready", operator, "status", {}, "fail"],
])("%s notices: %s", (check, _, [kind, object], path, value, is) => {
  const cluster = changed(readStandIn("prometheus/chart"), kind, object, (each) => setAt(each, path, value));
  const verdict = verdictOf(prometheus, `prometheus.${check}`, cluster);
  expect(verdict.is).toBe(is);
  expect(verdict.evidence.length).toBeGreaterThan(0);
});
