// Custom resources of the operators that many clusters run, where the common conditions don't say enough.
import type { Fields } from "@fairlead/kube";
import { assessGeneric } from "./generic.ts";
import type { Assess, Assessment } from "./types.ts";

export const operatorRules: Readonly<Record<string, Assess>> = {
  "Application.argoproj.io": assessApplication,
  "Rollout.argoproj.io": assessRollout,
  "Workflow.argoproj.io": assessWorkflow,
  "Certificate.cert-manager.io": assessCertificate,
  "ScaledObject.keda.sh": assessScaledObject,
  "ScaledJob.keda.sh": assessScaledObject,
  "NodePool.karpenter.sh": assessNodePool,
  "NodeClaim.karpenter.sh": assessNodeClaim,
  "Notebook.kubeflow.org": assessNotebook,
  "SparkApplication.sparkoperator.k8s.io": assessSparkApplication,
  "Prometheus.monitoring.coreos.com": assessAvailable,
  "Alertmanager.monitoring.coreos.com": assessAvailable,
};

function assessApplication(application: Fields): Assessment {
  const status = application.at("status", "health", "status").text() ?? "";
  const message = application.at("status", "health", "message").text();
  switch (status) {
    case "Healthy":
    case "Progressing":
    case "Degraded":
    case "Suspended":
    case "Missing":
      return { health: status, message };
    default:
      return { health: "Unknown", message: message ?? "Argo CD hasn't judged it yet." };
  }
}

function assessRollout(rollout: Fields): Assessment {
  const message = rollout.at("status", "message").text();
  switch (rollout.at("status", "phase").text() ?? "") {
    case "Healthy":
      return { health: "Healthy", message };
    case "Paused":
      return { health: "Suspended", message };
    case "Degraded":
      return { health: "Degraded", message };
    default:
      return { health: "Progressing", message };
  }
}

function assessWorkflow(workflow: Fields): Assessment {
  const message = workflow.at("status", "message").text();
  if (workflow.at("spec", "suspend").isTrue) return { health: "Suspended", message: "It is suspended." };
  switch (workflow.at("status", "phase").text() ?? "") {
    case "Succeeded":
      return { health: "Healthy", message };
    case "Failed":
    case "Error":
      return { health: "Degraded", message };
    default:
      return { health: "Progressing", message };
  }
}

function assessCertificate(certificate: Fields): Assessment {
  const ready = certificate.condition("Ready");
  if (ready?.status === "True") return { health: "Healthy", message: ready.message };
  const issuing = certificate.condition("Issuing");
  if (issuing?.status === "True") return { health: "Progressing", message: issuing.message };
  if (ready?.status === "False") return { health: "Degraded", message: ready.message };
  return { health: "Progressing", message: "It isn't issued yet." };
}

function assessScaledObject(object: Fields): Assessment {
  const ready = object.condition("Ready");
  if (ready?.status === "False") return { health: "Degraded", message: ready.message };
  if (object.condition("Paused")?.status === "True") return { health: "Suspended", message: "It is paused." };
  return ready?.status === "True" ? { health: "Healthy" } : { health: "Progressing" };
}

function assessNodePool(pool: Fields): Assessment {
  return assessGeneric(pool) ?? { health: "Healthy" };
}

function assessNodeClaim(claim: Fields): Assessment {
  const unready = ["Launched", "Registered", "Initialized"]
    .map((type) => claim.condition(type))
    .find((one) => one?.status !== "True");
  const ready = claim.condition("Ready");
  if (ready?.status === "True") return { health: "Healthy" };
  const launched = claim.condition("Launched");
  if (launched?.status === "False") return { health: "Degraded", message: launched.message };
  return { health: "Progressing", message: unready?.message };
}

function assessNotebook(notebook: Fields): Assessment {
  const annotations = notebook.at("metadata", "annotations");
  if (annotations.at("kubeflow-resource-stopped").exists) return { health: "Suspended", message: "It is stopped." };
  const ready = notebook.at("status", "readyReplicas").number() ?? 0;
  if (ready > 0) return { health: "Healthy" };
  const waiting = notebook.at("status", "containerState", "waiting", "reason").text();
  return waiting !== undefined && /BackOff$|^Err/.test(waiting)
    ? { health: "Degraded", message: waiting }
    : { health: "Progressing", message: waiting };
}

function assessSparkApplication(application: Fields): Assessment {
  const state = application.at("status", "applicationState", "state").text() ?? "";
  const message = application.at("status", "applicationState", "errorMessage").text();
  switch (state) {
    case "COMPLETED":
    case "RUNNING":
      return { health: "Healthy", message };
    case "FAILED":
    case "SUBMISSION_FAILED":
    case "FAILING":
    case "UNKNOWN":
      return { health: "Degraded", message };
    case "SUSPENDED":
      return { health: "Suspended", message };
    default:
      return { health: "Progressing", message };
  }
}

function assessAvailable(object: Fields): Assessment {
  const available = object.condition("Available");
  if (available?.status === "True") return { health: "Healthy" };
  if (available?.status === "False") return { health: "Degraded", message: available.message };
  if (available?.status === "Degraded") return { health: "Degraded", message: available.message };
  return { health: "Progressing", message: available?.message };
}
