// Checks by what Prometheus itself says. It is asked over the cluster's network, and only where somebody wants that.
import {
  type Check,
  type CheckInput,
  type Endpoint,
  fail,
  findEndpoint,
  pass,
  unknown,
  type Verdict,
  warn,
} from "../../checks/index.ts";
import { type Evidence, formatAddress, type MetricSeries, refTo, type ServiceAddress } from "../../snapshot/index.ts";
import { isInCluster, ourServers, prometheusPorts } from "./server-checks.ts";

export const answersCheck: Check = {
  id: "prometheus.answers",
  title: "Prometheus answers queries, and what it scrapes is up",
  why: "A Prometheus that runs may still have nothing to say: it doesn't load its configuration, its volume is full, or a NetworkPolicy keeps it from what it scrapes. The agent asks it `up`, if `--observe-doctor-probes` wants that.",
  severity: "recommended",
  features: ["metrics", "alerts"],
  appliesTo: isAsked,
  judge: (input) =>
    judgeAnswer(input, targets, (series, about) => {
      const isUp = series.find(({ labels }) => labels["which"] === "up")?.value ?? 0;
      const all = series.find(({ labels }) => labels["which"] === "all")?.value ?? 0;
      const evidence = [about(`${isUp} of ${all} targets are up`, "targets that are up")];
      if (isUp === 0) return fail("Prometheus answers, and nothing that it scrapes is up.", evidence);
      return isUp * 2 < all
        ? warn("Prometheus answers, and less than half of what it scrapes is up.", evidence)
        : pass(`It answers, and ${isUp} of ${all} targets are up.`, evidence);
    }),
};

export const podLabelsCheck: Check = {
  id: "prometheus.pod-labels",
  title: "Prometheus has the labels of pods that say which application they belong to",
  why: "Charts and alerts of an application join metrics with `kube_pod_labels`. They are there when kube-state-metrics exports them and Prometheus scrapes it. The agent asks for labels that pods of the cluster have, if `--observe-doctor-probes` wants that.",
  severity: "recommended",
  features: ["metrics"],
  appliesTo: isAsked,
  judge(input) {
    const carried = carriedLabels(input);
    return judgeAnswer(input, labelsQuery(input), (series, about) => {
      const known = new Set(series.map(({ labels }) => labels["which"]));
      if (!known.has("any")) {
        const evidence = [about("no kube_pod_labels", "metrics of kube-state-metrics")];
        return fail("Prometheus has no labels of pods: it doesn't scrape kube-state-metrics.", evidence);
      }
      const missing = carried.filter((_, index) => !known.has(String(index)));
      if (missing.length === 0) return pass(sayCarried(carried), [about("they are there", "labels of pods")]);
      const evidence = [about(`no ${missing.join(", ")}`, `labels of pods: ${carried.join(", ")}`)];
      return warn(`Pods have labels that Prometheus lacks: ${missing.join(", ")}.`, evidence);
    });
  },
};

function isAsked(input: CheckInput): boolean {
  return input.snapshot.isPrometheusAsked && isInCluster(input);
}

function judgeAnswer(
  input: CheckInput,
  query: string,
  judge: (series: readonly MetricSeries[], about: (observed: string, expected: string) => Evidence) => Verdict,
): Verdict {
  const endpoint = endpointOf(input);
  if (!endpoint) return unknown("No Service leads to Prometheus.");
  const about = (observed: string, expected: string): Evidence => ({
    object: refTo("services", endpoint.service),
    path: "spec.ports",
    observed: observed.slice(0, 500),
    expected,
  });
  const address = addressOf(endpoint);
  const answer = input.snapshot.askPrometheus({ address, query });
  const place = formatAddress(address);
  switch (answer.is) {
    case "answered":
      return judge(answer.series, about);
    case "refused":
      return fail(`Prometheus can't answer at ${place}: ${answer.why}.`, [about(answer.why, "an answer")]);
    case "hidden":
      return unknown(`Prometheus could not be asked at ${place}: ${answer.why}.`);
    default:
      return answer satisfies never;
  }
}

function endpointOf(input: CheckInput): Endpoint | undefined {
  return findEndpoint({ snapshot: input.snapshot, workloads: ourServers(input), ports: prometheusPorts });
}

function addressOf({ service, port }: Endpoint): ServiceAddress {
  const { name, namespace = "default" } = service.metadata;
  const isTls = [port.at("appProtocol").text(), port.at("name").text()].includes("https");
  return { scheme: isTls ? "https" : "http", namespace, name, port: port.at("port").number() ?? 0 };
}

/** Those of the profile that some pod has: of others Prometheus can't know anything. */
function carriedLabels({ snapshot, profile }: CheckInput): readonly string[] {
  const pods = snapshot.listSeen("pods").map(({ metadata }) => metadata.labels ?? {});
  return profile.kubeStateMetrics.podLabels
    .slice(0, mostLabels)
    .filter((key) => pods.some((labels) => (labels[key] ?? "") !== ""));
}

function sayCarried(carried: readonly string[]): string {
  return carried.length === 0
    ? "It has labels of pods. No pod has any of those that are asked for yet."
    : `It has the labels ${carried.join(", ")}.`;
}

const targets = `${named("up", "sum(up)")} or ${named("all", "count(up)")}`;

/** In one question: whether there are labels at all, and which. */
function labelsQuery(input: CheckInput): string {
  const each = carriedLabels(input).map((key, index) =>
    named(String(index), `count(kube_pod_labels{label_${toMetricLabel(key)}!=""})`),
  );
  return [named("any", "count(kube_pod_labels)"), ...each].join(" or ");
}

/** The series with a label that says which part of the question it answers. */
function named(which: string, query: string): string {
  return `label_replace(${query}, "which", "${which}", "", "")`;
}

/** As kube-state-metrics writes them: `capacityType` becomes `capacity_type`. Nothing that PromQL would take for its own. */
function toMetricLabel(key: string): string {
  const plain = key.replaceAll(/[^a-zA-Z0-9_]/g, "_");
  return plain.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

const mostLabels = 16;
