// When an object is ready: the rules of kstatus, which Flux, Helm 4 and kpt go by. Two differ: a Pod that failed isn't
// ready, and APIServices and Namespaces are judged, too.
import { Fields, type KubeObject } from "@fairlead/kube";
import { groupOf } from "../object-name.ts";
import { deploymentReadiness } from "./deployment.ts";
import { jobReadiness, podReadiness } from "./pods.ts";
import { pending, type Readiness, ready } from "./readiness.ts";
import {
  apiServiceReadiness,
  claimReadiness,
  definitionReadiness,
  namespaceReadiness,
  serviceReadiness,
} from "./single.ts";
import { daemonSetReadiness, replicaSetReadiness, statefulSetReadiness } from "./workloads.ts";

export function judgeReadiness(object: KubeObject): Readiness {
  const fields = new Fields(object);
  const key = `${groupOf(object.apiVersion ?? "")}/${object.kind}`;
  return judgeCommon(fields) ?? rules.get(key)?.(fields) ?? judgeReadyCondition(fields) ?? ready;
}

function judgeCommon(object: Fields): Readiness | undefined {
  if (object.at("metadata", "deletionTimestamp").exists) return pending("it is being deleted");
  const generation = object.at("metadata", "generation").number();
  const observed = object.at("status", "observedGeneration").number();
  if (generation !== undefined && observed !== undefined && generation !== observed)
    return pending(`its controller has seen generation ${observed} and not yet ${generation}`);
  for (const { type, status, message } of object.conditions()) {
    if (status !== "True") continue;
    if (type === "Reconciling") return pending(message ?? "it is being reconciled");
    if (type === "Stalled") return { type: "failed", message: message ?? "it is stalled" };
  }
  return undefined;
}

function judgeReadyCondition(object: Fields): Readiness | undefined {
  const condition = object.condition("Ready");
  if (!condition) return undefined;
  return condition.status === "True" ? ready : pending(condition.message ?? "its condition Ready isn't True");
}

type Rule = (object: Fields) => Readiness;

const always: Rule = () => ready;
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["/ConfigMap", always],
  ["/Secret", always],
  ["batch/CronJob", always],
  ["policy/PodDisruptionBudget", always],
  ["/Service", serviceReadiness],
  ["/Namespace", namespaceReadiness],
  ["/PersistentVolumeClaim", claimReadiness],
  ["/Pod", podReadiness],
  ["batch/Job", jobReadiness],
  ["apps/Deployment", deploymentReadiness],
  ["apps/StatefulSet", statefulSetReadiness],
  ["apps/DaemonSet", daemonSetReadiness],
  ["apps/ReplicaSet", replicaSetReadiness],
  ["apiextensions.k8s.io/CustomResourceDefinition", definitionReadiness],
  ["apiregistration.k8s.io/APIService", apiServiceReadiness],
]);
