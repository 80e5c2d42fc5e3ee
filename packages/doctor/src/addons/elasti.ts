import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, fail, few, pass, type Verdict } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { type ClusterObject, type Evidence, formatRef, listByName, refTo } from "../snapshot/index.ts";
import { runningWorkloads } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

export const elasti: Addon = {
  id: "elasti",
  title: "Elasti",
  need: optionalEverywhere,
  signals: {
    resources: ["elastiservices.elasti.truefoundry.com"],
    components: [
      { name: "operator", isEssential: true, images: ["elasti-operator"] },
      { name: "resolver", isEssential: true, images: ["elasti-resolver"] },
    ],
  },
  checks: [
    {
      id: "elasti.resolver",
      title: "The resolver is ready",
      why: "The resolver holds the first request to a service that is scaled to zero. Without it that request fails and wakes nothing.",
      severity: "required",
      features: ["scale-to-zero"],
      judge: judgeResolver,
    },
    {
      id: "elasti.prometheus-address",
      title: "Triggers ask a Prometheus that is there",
      why: "A trigger whose address leads nowhere never learns that a service is idle, so that the service is never scaled to zero.",
      severity: "recommended",
      features: ["scale-to-zero"],
      judge: judgeAddresses,
    },
  ],
  unlocks: ["scale-to-zero"],
  install: {
    chart: "elasti",
    repository: "oci://tfy.jfrog.io/tfy-helm",
    version: "0.1.19",
    versionRange: ">=0.1.0 <0.2.0",
    isVersionOfProgram: true,
    namespace: "elasti",
    release: "elasti",
    order: 0,
    after: ["prometheus"],
    values: () => ({}),
  },
};

function judgeResolver({ installation }: CheckInput): Verdict {
  const resolvers = workloadsOf(installation, "resolver");
  const ready = resolvers.find((workload) => workload.ready > 0);
  if (ready) return pass(`${formatRef(ready.ref)} is ready.`);
  const [first] = resolvers;
  if (!first) return fail("The resolver isn't there.", []);
  runningWorkloads(resolvers);
  return fail(`No pod of ${formatRef(first.ref)} is ready.`, [
    { object: first.ref, path: "status.readyReplicas", observed: String(first.ready), expected: "at least 1" },
  ]);
}

const elastiServices = "elastiservices.elasti.truefoundry.com";

/** Addresses outside of the cluster are believed: nobody asks them here. */
function judgeAddresses({ snapshot }: CheckInput): Verdict {
  const services = new Set(
    listByName(snapshot, "services").map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  const dangling = listByName(snapshot, elastiServices).flatMap((elastiService) =>
    addressesOf(elastiService)
      .filter(({ service }) => service !== undefined && !services.has(service))
      .map(({ address, path }): Evidence => {
        const object = refTo(elastiServices, elastiService);
        return { object, path, observed: address, expected: "the address of a Service that is there" };
      }),
  );
  if (dangling.length === 0) return pass("Each address in the cluster is that of a Service.");
  return fail(`${dangling.length} triggers ask a Prometheus that isn't there.`, few(dangling));
}

function addressesOf(
  elastiService: ClusterObject,
): { readonly address: string; readonly path: string; readonly service: string | undefined }[] {
  return new Fields(elastiService)
    .at("spec", "triggers")
    .list()
    .map((trigger, index) => ({
      address: trigger.at("metadata", "serverAddress").text() ?? "",
      path: `spec.triggers[${index}].metadata.serverAddress`,
    }))
    .map((found) => ({ ...found, service: serviceOf(found.address) }));
}

/** `prometheus/prometheus-operated` for `http://prometheus-operated.prometheus.svc.cluster.local:9090`. */
function serviceOf(address: string): string | undefined {
  const [name, namespace, mark] = URL.canParse(address) ? new URL(address).hostname.split(".") : [];
  return mark === "svc" ? `${namespace}/${name}` : undefined;
}
