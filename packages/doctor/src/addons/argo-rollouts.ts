import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import {
  allowConfigMap,
  type CheckInput,
  changeArgument,
  everywhere,
  fixBy,
  pass,
  unknown,
  type Verdict,
  warn,
} from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { listByName } from "../snapshot/index.ts";
import { containersOf, readSwitch } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

export const argoRollouts: Addon = {
  id: "argo-rollouts",
  title: "Argo Rollouts",
  need: optionalEverywhere,
  signals: {
    resources: ["rollouts.argoproj.io"],
    components: [{ name: "controller", isEssential: true, images: ["argoproj/argo-rollouts"] }],
  },
  checks: [
    {
      id: "argo-rollouts.all-namespaces",
      title: "The controller watches all namespaces",
      why: "With `--namespaced` it ignores the Rollouts of all namespaces but its own: they never get pods.",
      severity: "recommended",
      features: ["canary"],
      judge: judgeNamespaces,
    },
    {
      id: "argo-rollouts.weights",
      title: "Traffic can be given to a canary by weight",
      why: "Without a mesh, a supported ingress controller or the plugin for the Gateway API, a canary gets traffic by its share of pods alone: 1 % takes a hundred pods.",
      severity: "recommended",
      features: ["canary"],
      judge: judgeWeights,
    },
  ],
  unlocks: ["canary"],
  install: {
    chart: "argo-rollouts",
    repository: "https://argoproj.github.io/argo-helm",
    version: "2.40.9",
    versionRange: ">=2.35.0 <3.0.0",
    namespace: "argo-rollouts",
    release: "argo-rollouts",
    order: 0,
    after: ["prometheus"],
    values: () => ({ controller: { metrics: { enabled: true, serviceMonitor: { enabled: true } } } }),
  },
};

function judgeNamespaces({ installation }: CheckInput): Verdict {
  const found = containersOf(workloadsOf(installation, "controller")).find(({ container }) =>
    readSwitch(container, "namespaced"),
  );
  if (!found) return pass("The controller watches all namespaces.");
  const { workload, container } = found;
  return warn(
    `The controller watches ${workload.ref.namespace} alone.`,
    [{ object: workload.ref, path: `${container.path}.args`, observed: "--namespaced", expected: "no --namespaced" }],
    fixBy({
      installation,
      chart: "argo-rollouts",
      values: { clusterInstall: true },
      otherwise: changeArgument({ ...found, flag: "namespaced", isSwitch: true, risk: everywhere("Argo Rollouts") }),
    }),
  );
}

/** Controllers of ingresses that Argo Rollouts knows without a plugin. */
const knownIngresses = /ingress-nginx|ingress\.k8s\.aws\/alb|traefik|apisix|ambassador|kong/;
const gatewayRoutes = "httproutes.gateway.networking.k8s.io";

function judgeWeights(input: CheckInput): Verdict {
  const { snapshot } = input;
  const istio = snapshot.isServed("virtualservices.networking.istio.io");
  if (istio === "yes") return pass("Istio takes weights.");
  const ingress = listByName(snapshot, "ingressclasses.networking.k8s.io").find((each) =>
    knownIngresses.test(new Fields(each).at("spec", "controller").text() ?? ""),
  );
  if (ingress) return pass(`The ingress class ${ingress.metadata.name} takes weights.`);
  const gateways = snapshot.isServed(gatewayRoutes);
  if (istio === "unknown" || gateways === "unknown") return unknown("Discovery didn't name all groups.");
  if (gateways === "yes") return judgePlugin(input);
  return warn("Nothing here takes weights: neither Istio, nor a Gateway API, nor a known ingress controller.", [
    { object: definitionOf(gatewayRoutes), path: "metadata.name", observed: "no such object", expected: "one of them" },
  ]);
}

const pluginName = "argoproj-labs/gatewayAPI";
const configMapName = "argo-rollouts-config";

function judgePlugin({ snapshot, installation }: CheckInput): Verdict {
  const namespace = workloadsOf(installation, "controller")[0]?.ref.namespace ?? "";
  const sighting = snapshot.readConfigMap(namespace, configMapName);
  if (sighting.is === "hidden") {
    return unknown(
      `Whether the plugin for the Gateway API is there: ${sighting.why}.`,
      allowConfigMap(namespace, configMapName),
    );
  }
  const plugins =
    sighting.is === "seen" ? new Fields(sighting.configMap).at("data", "trafficRouterPlugins").text() : undefined;
  if (plugins?.includes(pluginName)) return pass("The plugin for the Gateway API takes weights.");
  const object = { resource: "configmaps", namespace, name: configMapName };
  return warn("The Gateway API is there, and the controller has no plugin for it.", [
    { object, path: "data.trafficRouterPlugins", observed: plugins ?? "nothing", expected: pluginName },
  ]);
}

function definitionOf(name: string): { readonly resource: string; readonly name: string } {
  return { resource: "customresourcedefinitions.apiextensions.k8s.io", name };
}
