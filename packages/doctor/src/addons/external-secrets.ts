import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, destructive, type Fix, fail, few, pass, type Verdict, warn } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { listByName, refTo } from "../snapshot/index.ts";
import { containersOf, readFlag, runningWorkloads, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";
import { judgeOneInstance } from "./one-instance.ts";

const images = ["external-secrets/external-secrets"];
/** As a part of another chart, this one goes by an alias. */
const names = ["external-secrets", "external-secrets-operator"];
const label = "app.kubernetes.io/name";

export const externalSecrets: Addon = {
  id: "external-secrets",
  title: "External Secrets",
  need: optionalEverywhere,
  signals: {
    resources: ["clustersecretstores.external-secrets.io", "externalsecrets.external-secrets.io"],
    // Three Deployments run the same image: only their names tell them apart.
    components: [
      { name: "controller", isEssential: true, images, labels: { [label]: names } },
      { name: "webhook", isEssential: true, images, labels: { [label]: names.map((name) => `${name}-webhook`) } },
      {
        name: "cert-controller",
        isEssential: false,
        images,
        labels: { [label]: names.map((name) => `${name}-cert-controller`) },
      },
    ],
  },
  checks: [
    {
      id: "external-secrets.one-instance",
      title: "One instance looks after the cluster's secrets",
      why: "Two instances that watch the same objects write the same Secrets, and each takes over the other's webhook.",
      severity: "required",
      features: ["external-secrets"],
      judge: judgeInstances,
    },
    {
      id: "external-secrets.stores-ready",
      title: "Secret stores are ready",
      why: "ExternalSecrets of a store that isn't ready keep the values that they had, or never get any.",
      severity: "recommended",
      features: ["external-secrets"],
      judge: judgeStores,
    },
    {
      id: "external-secrets.store-namespaces",
      title: "Cluster-wide stores say which namespaces may use them",
      why: "A ClusterSecretStore without `conditions` gives each namespace whatever its credentials may read.",
      severity: "recommended",
      features: [],
      judge: judgeStoreNamespaces,
    },
  ],
  unlocks: ["external-secrets"],
  install: {
    chart: "external-secrets",
    repository: "https://charts.external-secrets.io",
    version: "2.4.1",
    versionRange: ">=0.16.0 <3.0.0",
    isVersionOfProgram: true,
    namespace: "external-secrets",
    release: "external-secrets",
    order: 0,
    after: [],
    values: () => ({ installCRDs: true }),
  },
};

function judgeInstances({ installation }: CheckInput): Verdict {
  const unscoped = workloadsOf(installation, "controller").filter((workload) => !isScoped(workload));
  return judgeOneInstance(
    unscoped,
    unscoped.map(switchOff).find((fix) => fix !== undefined),
  );
}

/** An operator with a namespace or a class of its own leaves the others' objects alone. */
function isScoped(workload: Workload): boolean {
  return containersOf([workload]).some(({ container }) =>
    ["namespace", "controller-class"].some((flag) => (readFlag(container, flag) ?? "") !== ""),
  );
}

/** An operator that came along with another chart can go. */
function switchOff({ object, ref }: Workload): Fix | undefined {
  const fields = new Fields(object).at("metadata");
  const release = fields.at("annotations", "meta.helm.sh/release-name").text();
  if (release === undefined || fields.at("labels", label).text() !== "external-secrets-operator") return undefined;
  return {
    is: "helm-values",
    risk: destructive("This operator goes, with all that only it kept up to date."),
    chart: "tfy-agent",
    release: { namespace: ref.namespace ?? "default", name: release },
    values: { "external-secrets-operator": { enabled: false } },
  };
}

const clusterStores = "clustersecretstores.external-secrets.io";

function judgeStores({ snapshot }: CheckInput): Verdict {
  const stores = [clusterStores, "secretstores.external-secrets.io"].flatMap((resource) =>
    listByName(snapshot, resource).map((object) => ({
      object,
      ref: refTo(resource, object),
      ready: new Fields(object).condition("Ready"),
    })),
  );
  const unready = runningWorkloads(stores.filter(({ ready }) => ready?.status !== "True"));
  if (stores.length === 0) return warn("There is no secret store, so that no secret comes from outside.", []);
  if (unready.length === 0) return pass(`${stores.length} stores are ready.`);
  return fail(
    `${unready.length} of ${stores.length} stores aren't ready.`,
    few(unready).map(({ ref, ready }) => ({
      object: ref,
      path: "status.conditions[Ready]",
      observed: `${ready?.status ?? "Unknown"}: ${ready?.message ?? "no condition"}`,
      expected: "True",
    })),
  );
}

function judgeStoreNamespaces({ snapshot }: CheckInput): Verdict {
  const open = listByName(snapshot, clusterStores).filter(
    (store) => new Fields(store).at("spec", "conditions").list().length === 0,
  );
  if (open.length === 0) return pass("Each cluster-wide store names its namespaces.");
  const expected = "the namespaces that may use it";
  return warn(
    `${open.length} cluster-wide stores may be used from every namespace.`,
    few(open).map((store) => ({
      object: refTo(clusterStores, store),
      path: "spec.conditions",
      observed: "nothing",
      expected,
    })),
  );
}
