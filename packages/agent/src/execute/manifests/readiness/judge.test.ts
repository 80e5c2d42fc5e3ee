// Golden cases, after those of kstatus.
import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { judgeReadiness } from "./judge.ts";

interface Case {
  readonly what: string;
  readonly type: [apiVersion: string, kind: string];
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly is: "ready" | "pending" | "failed";
  readonly says?: string;
}

const deployment: [string, string] = ["apps/v1", "Deployment"];
const statefulSet: [string, string] = ["apps/v1", "StatefulSet"];
const daemonSet: [string, string] = ["apps/v1", "DaemonSet"];
const replicaSet: [string, string] = ["apps/v1", "ReplicaSet"];
const job: [string, string] = ["batch/v1", "Job"];
const pod: [string, string] = ["v1", "Pod"];
const claim: [string, string] = ["v1", "PersistentVolumeClaim"];
const definition: [string, string] = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"];
const custom: [string, string] = ["example.com/v1", "Widget"];

const rolled = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2, observedGeneration: 1 };
const available = { type: "Available", status: "True" };
const progressed = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" };
const first = { generation: 1 };
const two = { replicas: 2, progressDeadlineSeconds: 600 };
const settled = { replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, observedGeneration: 1 };
const oneRevision = { currentRevision: "a", updateRevision: "a" };
const scheduled = {
  observedGeneration: 1,
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  updatedNumberScheduled: 2,
  numberAvailable: 2,
  numberReady: 2,
};
const full = { fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2, replicas: 2 };
const unschedulable = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no room" };

const cases: readonly Case[] = [
  { what: "a ConfigMap", type: ["v1", "ConfigMap"], is: "ready" },
  { what: "a CronJob", type: ["batch/v1", "CronJob"], is: "ready" },
  { what: "what is being deleted", type: ["v1", "ConfigMap"], metadata: { deletionTimestamp: "x" }, is: "pending" },

  { what: "a Deployment that nobody saw", type: deployment, metadata: first, spec: two, is: "pending" },
  {
    what: "a Deployment whose change nobody saw",
    type: deployment,
    metadata: { generation: 2 },
    spec: two,
    status: { ...rolled, conditions: [available, progressed] },
    is: "pending",
    says: "generation 1",
  },
  {
    what: "a Deployment that is rolled out",
    type: deployment,
    metadata: first,
    spec: two,
    status: { ...rolled, conditions: [available, progressed] },
    is: "ready",
  },
  {
    what: "a Deployment without a deadline",
    type: deployment,
    metadata: first,
    spec: { replicas: 2 },
    status: { ...rolled, conditions: [available] },
    is: "ready",
  },
  {
    what: "a Deployment on its way",
    type: deployment,
    metadata: first,
    spec: two,
    status: { ...rolled, availableReplicas: 1 },
    is: "pending",
    says: "1 of 2 replicas are available",
  },
  {
    what: "a Deployment with old replicas",
    type: deployment,
    metadata: first,
    spec: two,
    status: { ...rolled, replicas: 3 },
    is: "pending",
    says: "1 old replicas",
  },
  {
    what: "a Deployment beyond its deadline",
    type: deployment,
    metadata: first,
    spec: two,
    status: { ...rolled, conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] },
    is: "failed",
  },
  {
    what: "a Deployment scaled to none",
    type: deployment,
    metadata: first,
    spec: { replicas: 0 },
    status: { observedGeneration: 1, conditions: [available] },
    is: "ready",
  },

  {
    what: "a StatefulSet that is settled",
    type: statefulSet,
    metadata: first,
    spec: { replicas: 2 },
    status: { ...settled, ...oneRevision },
    is: "ready",
  },
  {
    what: "a StatefulSet that rolls",
    type: statefulSet,
    metadata: first,
    spec: { replicas: 2 },
    status: { ...settled, currentRevision: "a", updateRevision: "b" },
    is: "pending",
    says: "revision",
  },
  {
    what: "a StatefulSet that starts",
    type: statefulSet,
    metadata: first,
    spec: { replicas: 2 },
    status: { replicas: 1, readyReplicas: 1 },
    is: "pending",
    says: "1 of 2",
  },
  {
    what: "a StatefulSet with a partition",
    type: statefulSet,
    spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
    status: { ...settled, updatedReplicas: 1, currentReplicas: 1 },
    is: "ready",
  },
  {
    what: "a StatefulSet of pods deleted by people",
    type: statefulSet,
    is: "ready",
    spec: { replicas: 2, updateStrategy: { type: "OnDelete" } },
  },

  { what: "a DaemonSet everywhere", type: daemonSet, metadata: first, status: scheduled, is: "ready" },
  { what: "a DaemonSet that nobody saw", type: daemonSet, metadata: first, is: "pending" },
  {
    what: "a DaemonSet on its way",
    type: daemonSet,
    metadata: first,
    status: { ...scheduled, numberReady: 1 },
    is: "pending",
    says: "1 of 2 pods are ready",
  },
  { what: "a ReplicaSet with all pods", type: replicaSet, spec: { replicas: 2 }, status: full, is: "ready" },
  {
    what: "a Deployment that is refused pods by a quota",
    type: deployment,
    metadata: first,
    spec: two,
    is: "pending",
    status: {
      replicas: 1,
      observedGeneration: 1,
      conditions: [{ type: "ReplicaFailure", status: "True", message: "exceeded quota: few" }],
    },
    says: "its pods can't be created: exceeded quota: few",
  },
  {
    what: "a claim without a storage class",
    type: claim,
    status: { phase: "Pending" },
    is: "pending",
    says: "it has no storage class",
  },
  {
    what: "a claim of a storage class",
    type: claim,
    spec: { storageClassName: "fast" },
    status: { phase: "Pending" },
    is: "pending",
    says: "no volume of the storage class fast is bound to it (Pending)",
  },
  {
    what: "a claim whose volume is gone",
    type: claim,
    status: { phase: "Lost" },
    is: "failed",
    says: "the volume that was bound to it is gone",
  },
  {
    what: "a ReplicaSet that is refused pods",
    type: replicaSet,
    spec: { replicas: 2 },
    is: "pending",
    status: { ...full, conditions: [{ type: "ReplicaFailure", status: "True", message: "exceeded quota" }] },
    says: "exceeded quota",
  },

  { what: "a Job that waits", type: job, is: "pending" },
  { what: "a Job that runs", type: job, status: { startTime: "x", active: 1 }, is: "ready" },
  {
    what: "a Job that failed",
    type: job,
    is: "failed",
    says: "BackoffLimit",
    status: { conditions: [{ type: "Failed", status: "True", message: "BackoffLimit" }] },
  },

  { what: "a Pod that nobody took", type: pod, is: "pending" },
  { what: "a Pod that ended well", type: pod, status: { phase: "Succeeded" }, is: "ready" },
  { what: "a Pod that ended badly", type: pod, status: { phase: "Failed" }, is: "failed" },
  { what: "a Pod that runs", type: pod, status: { phase: "Running" }, is: "pending" },
  {
    what: "a Pod that is ready",
    type: pod,
    is: "ready",
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  },
  {
    what: "a Pod that ends over and over",
    type: pod,
    is: "failed",
    says: "app",
    status: {
      phase: "Running",
      containerStatuses: [{ name: "app", state: { waiting: { reason: "CrashLoopBackOff" } } }],
    },
  },
  {
    what: "a Pod without a node, which an autoscaler may make",
    type: pod,
    metadata: { creationTimestamp: "2024-05-01T11:59:30Z" },
    status: { phase: "Pending", conditions: [unschedulable] },
    is: "pending",
    says: "no room",
  },

  { what: "a claim without a volume", type: claim, status: { phase: "Pending" }, is: "pending" },
  { what: "a claim with a volume", type: claim, status: { phase: "Bound" }, is: "ready" },
  { what: "a Service", type: ["v1", "Service"], spec: { type: "ClusterIP" }, is: "ready" },
  { what: "a balancer without an address", type: ["v1", "Service"], spec: { type: "LoadBalancer" }, is: "pending" },
  {
    what: "a balancer with an address",
    type: ["v1", "Service"],
    is: "ready",
    spec: { type: "LoadBalancer", clusterIP: "10.0.0.1" },
  },
  { what: "an active Namespace", type: ["v1", "Namespace"], status: { phase: "Active" }, is: "ready" },
  { what: "a new Namespace", type: ["v1", "Namespace"], is: "pending" },
  { what: "a new definition", type: definition, is: "pending" },
  {
    what: "an established definition",
    type: definition,
    is: "ready",
    status: { conditions: [{ type: "Established", status: "True" }] },
  },
  {
    what: "a definition whose names are taken",
    type: definition,
    is: "failed",
    says: "taken",
    status: { conditions: [{ type: "NamesAccepted", status: "False", message: "taken" }] },
  },
  {
    what: "an API whose server is away",
    type: ["apiregistration.k8s.io/v1", "APIService"],
    is: "pending",
    status: { conditions: [{ type: "Available", status: "False", message: "no endpoints" }] },
    says: "no endpoints",
  },
  {
    what: "an API that is served",
    type: ["apiregistration.k8s.io/v1", "APIService"],
    is: "ready",
    status: { conditions: [{ type: "Available", status: "True" }] },
  },

  { what: "an object of a kind that says nothing", type: custom, is: "ready" },
  {
    what: "one that isn't Ready",
    type: custom,
    is: "pending",
    says: "soon",
    status: { conditions: [{ type: "Ready", status: "False", message: "soon" }] },
  },
  { what: "one that is Ready", type: custom, status: { conditions: [{ type: "Ready", status: "True" }] }, is: "ready" },
  {
    what: "one that is Ready for what it was before",
    type: custom,
    metadata: { generation: 2 },
    is: "pending",
    status: { observedGeneration: 1, conditions: [{ type: "Ready", status: "True" }] },
  },
  {
    what: "one that is Ready and still reconciled",
    type: custom,
    is: "pending",
    status: {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Reconciling", status: "True" },
      ],
    },
  },
  {
    what: "one that is stalled",
    type: custom,
    is: "failed",
    says: "no way",
    status: { conditions: [{ type: "Stalled", status: "True", message: "no way" }] },
  },
];

test.each(cases)("$what is $is", ({ type: [apiVersion, kind], metadata, spec, status, is, says = "" }) => {
  const object = {
    apiVersion,
    kind,
    metadata: { name: "x", uid: "u", resourceVersion: "1", ...metadata },
    spec,
    status,
  };
  const readiness = judgeReadiness(object as KubeObject);
  expect(readiness.type).toBe(is);
  expect(readiness.message).toContain(says);
});
