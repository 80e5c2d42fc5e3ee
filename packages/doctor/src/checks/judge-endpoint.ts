import { Fields } from "@fairlead/kernel";
import { type ClusterObject, type Evidence, refTo, type Snapshot } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import { type Fix, fail, pass, safe, type Verdict } from "./verdict.ts";

/** A Service leads to the pods of one of these workloads, on one of these ports. */
export function judgeEndpoint(options: EndpointOptions): Verdict {
  const { workloads, ports } = options;
  const found = findEndpoint(options);
  const expected = `a Service that leads to its pods on port ${ports.join(" or ")}`;
  if (found) {
    const { service, port } = found;
    const address = `${service.metadata.name}.${service.metadata.namespace}.svc:${port.at("port").number()}`;
    const object = refTo("services", service);
    return pass(`It answers at ${address}.`, [{ object, path: "spec.ports", observed: address, expected }]);
  }
  const evidence = workloads
    .slice(0, 1)
    .map(({ ref }): Evidence => ({ object: ref, path: "", observed: "none", expected }));
  return fail("No Service leads to its pods.", evidence, serviceFor(workloads[0], ports[0]));
}

/** The first by name, where there are several. */
export function findEndpoint({ snapshot, workloads, ports }: EndpointOptions): Endpoint | undefined {
  return snapshot
    .list("services")
    .filter((service) => workloads.some((workload) => leadsTo(service, workload)))
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .flatMap((service) => findPort(service, ports) ?? [])[0];
}

export interface EndpointOptions {
  readonly snapshot: Snapshot;
  readonly workloads: readonly Workload[];
  /** By number, as the Service offers them or as pods listen. */
  readonly ports: readonly number[];
}

export interface Endpoint {
  readonly service: ClusterObject;
  readonly port: Fields;
}

function leadsTo(service: ClusterObject, { object, ref }: Workload): boolean {
  // It is a name for something elsewhere, whatever selector it has.
  if (new Fields(service).at("spec", "type").text() === "ExternalName") return false;
  const selector = new Fields(service).at("spec", "selector").entries();
  const labels = new Fields(object).at("spec", "template", "metadata", "labels");
  if (selector.length === 0 || service.metadata.namespace !== ref.namespace) return false;
  return selector.every(([key, value]) => labels.at(key).raw === value.raw);
}

function findPort(service: ClusterObject, ports: readonly number[]): Endpoint | undefined {
  const offered = new Fields(service).at("spec", "ports").list();
  const fitting = offered.find((port) =>
    ports.some((wanted) => port.at("port").number() === wanted || port.at("targetPort").number() === wanted),
  );
  return fitting?.at("port").number() === undefined ? undefined : { service, port: fitting };
}

function placeOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function serviceFor(workload: Workload | undefined, port: number | undefined): Fix | undefined {
  const labels = new Fields(workload?.object).at("spec", "selector", "matchLabels");
  if (!workload || port === undefined || !labels.exists) return undefined;
  const { name, namespace = "default" } = workload.ref;
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: labels.raw, ports: [{ name: "http", port, targetPort: port }] },
  };
  return { is: "manifest", risk: safe, objects: [service] };
}
