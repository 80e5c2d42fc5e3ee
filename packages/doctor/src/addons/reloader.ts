import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, everywhere, fixBy, listNames, pass, type Verdict, warn } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { containersOf, readEnv, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";
import { judgeOneInstance } from "./one-instance.ts";

export const reloader: Addon = {
  id: "reloader",
  title: "Reloader",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "reloader", isEssential: true, images: ["stakater/reloader"] }],
  },
  checks: [
    {
      id: "reloader.one-instance",
      title: "One instance restarts workloads",
      why: "Each instance that watches a namespace restarts its workloads once more for the same change.",
      severity: "recommended",
      features: [],
      judge: ({ installation }) => judgeOneInstance(instancesOf(installation).filter((each) => !namespaceOf(each))),
    },
    {
      id: "reloader.all-namespaces",
      title: "Reloader watches all namespaces",
      why: "With `KUBERNETES_NAMESPACE` set, workloads elsewhere go on with the Secrets and ConfigMaps that they started with.",
      severity: "recommended",
      features: [],
      judge: judgeNamespaces,
    },
  ],
  unlocks: [],
  install: {
    chart: "reloader",
    repository: "https://stakater.github.io/stakater-charts",
    version: "2.2.14",
    versionRange: ">=1.0.0 <3.0.0",
    namespace: "reloader",
    release: "reloader",
    order: 0,
    after: [],
    values: () => ({ reloader: { watchGlobally: true } }),
  },
};

function instancesOf(installation: CheckInput["installation"]): readonly Workload[] {
  return workloadsOf(installation, "reloader");
}

/** The chart takes it from the pod's own namespace. */
function namespaceOf(workload: Workload): string | undefined {
  for (const { container } of containersOf([workload])) {
    const value = readEnv(container, "KUBERNETES_NAMESPACE");
    if (value.is === "elsewhere") return workload.ref.namespace;
    if (value.is === "set" && value.value !== "") return value.value;
  }
  return undefined;
}

function judgeNamespaces({ installation }: CheckInput): Verdict {
  const instances = instancesOf(installation);
  if (instances.some((instance) => namespaceOf(instance) === undefined))
    return pass("Reloader watches all namespaces.");
  const [first] = instances;
  if (!first) return pass("There is no instance.");
  const env = [{ name: "KUBERNETES_NAMESPACE", $patch: "delete" }];
  const name = first.containers[0]?.name;
  return warn(
    `Reloader watches ${listNames(instances.map((each) => namespaceOf(each) ?? ""))} alone.`,
    [
      {
        object: first.ref,
        path: `${first.containers[0]?.path}.env[KUBERNETES_NAMESPACE]`,
        observed: namespaceOf(first) ?? "",
        expected: "no such variable",
      },
    ],
    fixBy({
      installation,
      chart: "reloader",
      values: { reloader: { watchGlobally: true } },
      otherwise: {
        is: "patch",
        risk: everywhere("Reloader"),
        object: first.ref,
        type: "strategic",
        patch: { spec: { template: { spec: { containers: [{ name, env }] } } } },
      },
    }),
  );
}
