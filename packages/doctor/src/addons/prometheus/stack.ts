// The operator's view: Prometheus and Alertmanager objects. A cluster may have several; those that take the monitors of
// workloads are judged, and of Alertmanagers those that they send to.
import { Fields } from "@fairlead/kernel";
import type { CheckInput, Fix, Risk } from "../../checks/index.ts";
import { type ClusterObject, type ObjectRef, refTo } from "../../snapshot/index.ts";
import { selectsLabels } from "../../workloads/index.ts";

const prometheusResource = "prometheuses.monitoring.coreos.com";
const alertmanagerResource = "alertmanagers.monitoring.coreos.com";

export interface StackObject {
  readonly object: ClusterObject;
  readonly ref: ObjectRef;
  readonly namespace: string;
  readonly fields: Fields;
}

/** @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing */
export function readPrometheis({ snapshot }: CheckInput): StackObject[] {
  return read(prometheusResource, snapshot.list(prometheusResource));
}

/** Those whose selectors take monitors with the profile's labels; all of them when none does. */
export function findOurs(input: CheckInput): StackObject[] {
  const all = readPrometheis(input);
  const labels = new Fields(input.profile.prometheus.monitorLabels);
  const ours = all.filter(({ fields }) => {
    const selector = fields.at("spec", "serviceMonitorSelector");
    return selector.exists && selectsLabels(selector, labels);
  });
  return ours.length > 0 ? ours : all;
}

/** Those in namespaces that our Prometheis send alerts to; all of them when none is named. */
export function findAlertmanagers(input: CheckInput): StackObject[] {
  const all = read(alertmanagerResource, input.snapshot.list(alertmanagerResource));
  const targets = findOurs(input).flatMap(({ fields, namespace }) =>
    fields
      .at("spec", "alerting", "alertmanagers")
      .list()
      .map((target) => target.at("namespace").text() ?? namespace),
  );
  const named = all.filter(({ namespace }) => targets.includes(namespace));
  return named.length > 0 ? named : all;
}

/** The operator and its objects are used at all, and not a Prometheus by itself or somebody's service. */
export function hasOperator(input: CheckInput): boolean {
  return input.installation.presence.is === "installed" && readPrometheis(input).length > 0;
}

export interface FixSpecOptions {
  readonly risk: Risk;
  /** The values of the chart: those of the spec unless given. */
  readonly ofChart?: Readonly<Record<string, unknown>>;
}

/** By the chart's values where a chart made the object, since it would undo a patch. */
export function fixSpec(
  { installation }: CheckInput,
  { ref }: StackObject,
  spec: Readonly<Record<string, unknown>>,
  { risk, ofChart = spec }: FixSpecOptions,
): Fix {
  const { provenance } = installation;
  const isPrometheus = ref.resource === prometheusResource;
  const values = isPrometheus
    ? { prometheus: { prometheusSpec: ofChart } }
    : { alertmanager: { alertmanagerSpec: ofChart } };
  const chart = "kube-prometheus-stack";
  if (provenance?.is === "helm" && (provenance.chart ?? "").startsWith(chart)) {
    const release = { namespace: provenance.namespace, name: provenance.release };
    return { is: "helm-values", risk, chart, release, values };
  }
  if (provenance?.is === "argocd" || provenance?.is === "flux") return { is: "helm-values", risk, chart, values };
  return { is: "patch", risk, object: ref, type: "merge", patch: { spec } };
}

function read(resource: string, objects: readonly ClusterObject[]): StackObject[] {
  return objects
    .map((object) => ({
      object,
      ref: refTo(resource, object),
      namespace: object.metadata.namespace ?? "default",
      fields: new Fields(object),
    }))
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
}

function placeOf({ ref, namespace }: StackObject): string {
  return `${namespace}/${ref.name}`;
}
