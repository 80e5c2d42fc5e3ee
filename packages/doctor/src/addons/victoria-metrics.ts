import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import {
  type Check,
  type CheckInput,
  destructive,
  everywhere,
  fail,
  judgeClaims,
  judgeEndpoint,
  pass,
} from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { type Evidence, type ObjectRef, refTo } from "../snapshot/index.ts";
import { selectsLabels, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";
import { fixByChart, judgeVictoriaRetention } from "./victoria-retention.ts";

const group = "operator.victoriametrics.com";
const agents = `vmagents.${group}`;
const alertmanagers = `vmalertmanagers.${group}`;
const chart = "victoria-metrics-k8s-stack";

const endpointCheck: Check = {
  id: "victoria-metrics.endpoint",
  title: "A Service leads to VictoriaMetrics",
  why: "Charts, autoscaling and scale-to-zero ask it at an address in the cluster: a single server, or `vmselect` of a cluster of servers.",
  severity: "required",
  features: ["metrics", "autoscaling-by-requests", "scale-to-zero"],
  judge({ snapshot, installation }) {
    const selects = workloadsOf(installation, "select");
    const workloads = selects.length > 0 ? selects : workloadsOf(installation, "server");
    return judgeEndpoint({ snapshot, workloads, ports: [8428, 8429, 8481] });
  },
};

const retentionCheck: Check = {
  id: "victoria-metrics.retention",
  title: "Metrics are kept as long as the profile asks",
  why: "It keeps one month unless `-retentionPeriod` says otherwise. A number without a unit means months.",
  severity: "recommended",
  features: ["metrics"],
  judge(input) {
    const wantedDays = input.profile.prometheus.retentionDays;
    return judgeVictoriaRetention({
      workloads: storesOf(input),
      wantedDays,
      usual: "1M",
      fix: fixByChart(input, chart, { vmsingle: { spec: { retentionPeriod: `${wantedDays}d` } } }),
    });
  },
};

const storageCheck: Check = {
  id: "victoria-metrics.storage",
  title: "Metrics lie in a persistent volume that is bound",
  why: "Without a volume, metrics are gone with the pod; with one that isn't bound, it doesn't start.",
  severity: "recommended",
  features: ["metrics"],
  judge: (input) => judgeClaims({ snapshot: input.snapshot, workloads: storesOf(input) }),
};

const monitorsCheck: Check = {
  id: "victoria-metrics.monitors-selected",
  title: "Its agent takes the monitors that come with workloads",
  why: "A VMAgent without selectors takes nothing unless `selectAllByDefault` is true. Its operator makes monitors of Prometheus its own.",
  severity: "required",
  features: ["metrics"],
  appliesTo: ({ snapshot }) => snapshot.list(agents).length > 0,
  judge({ snapshot, profile }) {
    const labels = new Fields(profile.prometheus.monitorLabels);
    const found = snapshot
      .list(agents)
      .map((agent) => ({ ref: refTo(agents, agent), spec: new Fields(agent).at("spec") }));
    const evidence = found.map(({ ref, spec }) => selectorEvidence(ref, spec));
    if (found.some(({ spec }) => takesMonitors(spec, labels))) return pass("It does.", evidence);
    const [first] = found;
    return fail(
      "No VMAgent takes them.",
      evidence,
      first && {
        is: "patch",
        risk: everywhere("VMAgent"),
        object: first.ref,
        type: "merge",
        patch: { spec: { selectAllByDefault: true } },
      },
    );
  },
};

const matcherCheck: Check = {
  id: "victoria-metrics.alertmanager-matcher",
  title: "Alertmanager sends alerts of all namespaces to one route",
  why: "Unless `disableNamespaceMatcher` is true, a VMAlertmanagerConfig takes alerts of its own namespace alone.",
  severity: "required",
  features: ["alerts"],
  appliesTo: ({ snapshot }) => snapshot.list(alertmanagers).length > 0,
  judge({ snapshot }) {
    const found = snapshot.list(alertmanagers).map((object) => ({
      object: refTo(alertmanagers, object),
      isFree: new Fields(object).at("spec", "disableNamespaceMatcher").isTrue,
    }));
    const path = "spec.disableNamespaceMatcher";
    const evidence = found.map(
      ({ object, isFree }): Evidence => ({
        object,
        path,
        observed: String(isFree),
        expected: "true",
      }),
    );
    const bound = found.find(({ isFree }) => !isFree);
    if (!bound) return pass("It does.", evidence);
    const patch = { spec: { disableNamespaceMatcher: true } };
    return fail("Alertmanager drops alerts of other namespaces than its routes' own.", evidence, {
      is: "patch",
      risk: destructive("Routes of each namespace then get the alerts of all others, too."),
      object: bound.object,
      type: "merge",
      patch,
    });
  },
};

/** Does what Prometheus does; its operator understands the objects of Prometheus' operator. */
export const victoriaMetrics: Addon = {
  id: "victoria-metrics",
  title: "VictoriaMetrics",
  need: optionalEverywhere,
  signals: {
    resources: [`vmsingles.${group}`, `vmclusters.${group}`, agents],
    components: [
      {
        name: "server",
        isEssential: true,
        images: ["victoriametrics/victoria-metrics", "victoriametrics/vmstorage"],
      },
      { name: "select", isEssential: false, images: ["victoriametrics/vmselect"] },
      { name: "agent", isEssential: false, images: ["victoriametrics/vmagent"] },
      { name: "operator", isEssential: false, images: ["victoriametrics/operator"] },
    ],
  },
  checks: [endpointCheck, matcherCheck, monitorsCheck, retentionCheck, storageCheck],
  unlocks: ["metrics", "alerts"],
  alternatives: ["prometheus"],
};

function storesOf({ installation }: CheckInput): readonly Workload[] {
  return workloadsOf(installation, "server");
}

function takesMonitors(spec: Fields, labels: Fields): boolean {
  if (spec.at("selectAllByDefault").isTrue) return true;
  const selector = spec.at("serviceScrapeSelector");
  return (
    selector.exists && selectsLabels(selector, labels) && spec.at("serviceScrapeNamespaceSelector").json() === "{}"
  );
}

function selectorEvidence(object: ObjectRef, spec: Fields): Evidence {
  return {
    object,
    path: "spec.serviceScrapeSelector",
    observed: spec.at("selectAllByDefault").isTrue
      ? "selectAllByDefault"
      : spec.at("serviceScrapeSelector").json() || "none",
    expected: "selectAllByDefault: true",
  };
}
