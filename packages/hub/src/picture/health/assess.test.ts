import { describe, expect, test } from "vitest";
import { assessHealth } from "./index.ts";

const condition = (type: string, status: string, message?: string, reason?: string): object => ({
  type,
  status,
  ...(message !== undefined && { message }),
  ...(reason !== undefined && { reason }),
});
const withConditions = (...conditions: object[]): object => ({ status: { conditions: conditions } });
const pod = (status: object, spec: object = {}): object => ({ spec, status });
const waiting = (reason: string, message?: string): object => ({
  phase: "Pending",
  containerStatuses: [{ name: "web", state: { waiting: { reason, message } } }],
});

const cases: Readonly<
  Record<string, readonly [what: string, object: object, health: string | undefined, message?: RegExp][]>
> = {
  "v1 Pod": [
    ["runs and is ready", pod({ phase: "Running", conditions: [condition("Ready", "True")] }), "Healthy"],
    [
      "runs and isn't ready yet",
      pod({ phase: "Running", conditions: [condition("Ready", "False", "no")] }),
      "Progressing",
      /no/,
    ],
    [
      "isn't ready and has crashed before",
      pod({
        phase: "Running",
        conditions: [condition("Ready", "False")],
        containerStatuses: [{ lastState: { terminated: {} } }],
      }),
      "Degraded",
    ],
    [
      "crashes again and again",
      pod({ ...waiting("CrashLoopBackOff", "back-off"), phase: "Running" }),
      "Degraded",
      /web: CrashLoopBackOff: back-off/,
    ],
    ["can't pull its image", pod(waiting("ImagePullBackOff")), "Degraded", /ImagePullBackOff/],
    ["creates its containers", pod(waiting("ContainerCreating")), "Progressing"],
    [
      "doesn't fit on a node",
      pod({ phase: "Pending", conditions: [condition("PodScheduled", "False", "0/1 nodes")] }),
      "Progressing",
      /0\/1 nodes/,
    ],
    [
      "is meant to end and runs",
      pod({ phase: "Running", conditions: [condition("Ready", "True")] }, { restartPolicy: "Never" }),
      "Progressing",
    ],
    ["succeeded", pod({ phase: "Succeeded" }), "Healthy"],
    ["failed", pod({ phase: "Failed", reason: "Evicted" }), "Degraded", /Evicted/],
    ["is on a node that is gone", pod({ phase: "Unknown" }), "Unknown"],
    [
      "is being deleted",
      { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { phase: "Running" } },
      "Progressing",
      /deleted/,
    ],
  ],
  "apps/v1 Deployment": [
    ["is paused", { spec: { paused: true } }, "Suspended"],
    ["was changed a moment ago", { metadata: { generation: 2 }, status: { observedGeneration: 1 } }, "Progressing"],
    [
      "took too long",
      {
        metadata: { generation: 1 },
        ...withConditions(condition("Progressing", "False", "late", "ProgressDeadlineExceeded")),
      },
      "Degraded",
      /late/,
    ],
    ["can't make pods", withConditions(condition("ReplicaFailure", "True", "quota")), "Degraded", /quota/],
    [
      "updates",
      { spec: { replicas: 3 }, status: { replicas: 3, updatedReplicas: 1, availableReplicas: 3 } },
      "Progressing",
      /1 of 3/,
    ],
    [
      "still has old replicas",
      { spec: { replicas: 1 }, status: { replicas: 2, updatedReplicas: 1, availableReplicas: 2 } },
      "Progressing",
    ],
    ["isn't available yet", { spec: { replicas: 1 }, status: { replicas: 1, updatedReplicas: 1 } }, "Progressing"],
    [
      "is whole",
      { spec: { replicas: 2 }, status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2 } },
      "Healthy",
    ],
    ["is scaled to nothing", { spec: { replicas: 0 }, status: {} }, "Healthy"],
  ],
  "apps/v1 ReplicaSet": [
    ["is whole", { spec: { replicas: 1 }, status: { availableReplicas: 1 } }, "Healthy"],
    ["waits", { spec: { replicas: 1 }, status: {} }, "Progressing"],
    ["can't make pods", withConditions(condition("ReplicaFailure", "True", "denied")), "Degraded", /denied/],
  ],
  "apps/v1 StatefulSet": [
    ["waits for pods", { spec: { replicas: 2 }, status: { readyReplicas: 1 } }, "Progressing", /1 of 2/],
    [
      "rolls",
      { spec: { replicas: 1 }, status: { readyReplicas: 1, currentRevision: "a", updateRevision: "b" } },
      "Progressing",
    ],
    [
      "is whole",
      { spec: { replicas: 1 }, status: { readyReplicas: 1, currentRevision: "a", updateRevision: "a" } },
      "Healthy",
    ],
    [
      "has rolled as far as its partition",
      {
        spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        status: { readyReplicas: 3, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
      },
      "Healthy",
    ],
    [
      "is updated by hand",
      {
        spec: { replicas: 1, updateStrategy: { type: "OnDelete" } },
        status: { readyReplicas: 1, currentRevision: "a", updateRevision: "b" },
      },
      "Healthy",
    ],
  ],
  "apps/v1 DaemonSet": [
    ["is whole", { status: { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 } }, "Healthy"],
    [
      "rolls",
      { status: { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 } },
      "Progressing",
      /1 of 2/,
    ],
    [
      "waits for pods",
      { status: { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 } },
      "Progressing",
    ],
  ],
  "batch/v1 Job": [
    ["runs", { status: { active: 1 } }, "Progressing"],
    ["is done", withConditions(condition("Complete", "True")), "Healthy"],
    ["failed", withConditions(condition("Failed", "True", "too often")), "Degraded", /too often/],
    ["is suspended", { spec: { suspend: true } }, "Suspended"],
  ],
  "batch/v1 CronJob": [
    ["is on", { spec: {} }, "Healthy"],
    ["is off", { spec: { suspend: true } }, "Suspended"],
  ],
  "v1 Service": [
    ["is inside only", { spec: { type: "ClusterIP" } }, "Healthy"],
    ["waits for an address", { spec: { type: "LoadBalancer" } }, "Progressing"],
    [
      "has an address",
      { spec: { type: "LoadBalancer" }, status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
      "Healthy",
    ],
  ],
  "networking.k8s.io/v1 Ingress": [
    ["waits for an address", { status: { loadBalancer: {} } }, "Progressing"],
    ["has an address", { status: { loadBalancer: { ingress: [{ hostname: "a" }] } } }, "Healthy"],
  ],
  "gateway.networking.k8s.io/v1 Gateway": [
    ["is refused", withConditions(condition("Accepted", "False", "class")), "Degraded", /class/],
    ["is programmed", withConditions(condition("Accepted", "True"), condition("Programmed", "True")), "Healthy"],
    ["is new", {}, "Progressing"],
  ],
  "gateway.networking.k8s.io/v1 HTTPRoute": [
    ["is nobody's", {}, "Progressing"],
    [
      "is taken",
      { status: { parents: [{ conditions: [condition("Accepted", "True"), condition("ResolvedRefs", "True")] }] } },
      "Healthy",
    ],
    [
      "names what isn't there",
      { status: { parents: [{ conditions: [condition("ResolvedRefs", "False", "no such service")] }] } },
      "Degraded",
      /no such/,
    ],
  ],
  "v1 Node": [
    ["is ready", withConditions(condition("Ready", "True")), "Healthy"],
    ["is gone", withConditions(condition("Ready", "Unknown", "Kubelet stopped")), "Degraded", /Kubelet/],
    [
      "is short of disk",
      withConditions(condition("Ready", "True"), condition("DiskPressure", "True", "disk")),
      "Degraded",
      /disk/,
    ],
    ["is cordoned", { spec: { unschedulable: true }, ...withConditions(condition("Ready", "True")) }, "Suspended"],
  ],
  "v1 Namespace": [
    ["is there", { status: { phase: "Active" } }, "Healthy"],
    ["goes", { status: { phase: "Terminating" } }, "Progressing"],
  ],
  "v1 PersistentVolumeClaim": [
    ["is bound", { status: { phase: "Bound" } }, "Healthy"],
    ["waits", { status: { phase: "Pending" } }, "Progressing"],
    ["is lost", { status: { phase: "Lost" } }, "Degraded"],
  ],
  "v1 PersistentVolume": [
    ["is free", { status: { phase: "Available" } }, "Healthy"],
    ["failed", { status: { phase: "Failed", message: "broken" } }, "Degraded", /broken/],
  ],
  "autoscaling/v2 HorizontalPodAutoscaler": [
    ["works", withConditions(condition("AbleToScale", "True"), condition("ScalingActive", "True")), "Healthy"],
    [
      "has no metrics",
      withConditions(condition("AbleToScale", "True"), condition("ScalingActive", "False", "no metrics")),
      "Degraded",
      /metrics/,
    ],
    ["is off", withConditions(condition("ScalingActive", "False", "zero", "ScalingDisabled")), "Suspended"],
    ["is new", {}, "Progressing"],
  ],
  "policy/v1 PodDisruptionBudget": [
    ["holds", withConditions(condition("DisruptionAllowed", "False", "", "InsufficientPods")), "Healthy"],
    [
      "can't be computed",
      withConditions(condition("DisruptionAllowed", "False", "bad selector", "SyncFailed")),
      "Degraded",
      /selector/,
    ],
  ],
  "apiregistration.k8s.io/v1 APIService": [
    ["is up", withConditions(condition("Available", "True")), "Healthy"],
    ["is down", withConditions(condition("Available", "False", "no endpoints")), "Degraded", /endpoints/],
  ],
  "apiextensions.k8s.io/v1 CustomResourceDefinition": [
    ["is served", withConditions(condition("Established", "True"), condition("NamesAccepted", "True")), "Healthy"],
    [
      "has a name that is taken",
      withConditions(condition("NamesAccepted", "False", "conflict")),
      "Degraded",
      /conflict/,
    ],
  ],
  "argoproj.io/v1alpha1 Application": [
    ["is what Argo CD says", { status: { health: { status: "Missing", message: "gone" } } }, "Missing", /gone/],
    ["was never judged", {}, "Unknown"],
  ],
  "argoproj.io/v1alpha1 Rollout": [
    ["waits for a person", { status: { phase: "Paused", message: "CanaryPauseStep" } }, "Suspended", /Canary/],
    ["failed", { status: { phase: "Degraded", message: "aborted" } }, "Degraded", /aborted/],
    ["is done", { status: { phase: "Healthy" } }, "Healthy"],
  ],
  "argoproj.io/v1alpha1 Workflow": [
    ["runs", { status: { phase: "Running" } }, "Progressing"],
    ["failed", { status: { phase: "Error", message: "oom" } }, "Degraded", /oom/],
    ["is done", { status: { phase: "Succeeded" } }, "Healthy"],
  ],
  "cert-manager.io/v1 Certificate": [
    ["is issued", withConditions(condition("Ready", "True")), "Healthy"],
    [
      "is being issued",
      withConditions(condition("Ready", "False"), condition("Issuing", "True", "wait")),
      "Progressing",
      /wait/,
    ],
    ["can't be issued", withConditions(condition("Ready", "False", "denied")), "Degraded", /denied/],
  ],
  "keda.sh/v1alpha1 ScaledObject": [
    ["works", withConditions(condition("Ready", "True")), "Healthy"],
    ["is paused", withConditions(condition("Ready", "True"), condition("Paused", "True")), "Suspended"],
    ["is wrong", withConditions(condition("Ready", "False", "trigger")), "Degraded", /trigger/],
  ],
  "karpenter.sh/v1 NodeClaim": [
    ["couldn't be launched", withConditions(condition("Launched", "False", "capacity")), "Degraded", /capacity/],
    [
      "is on its way",
      withConditions(condition("Launched", "True"), condition("Registered", "Unknown", "soon")),
      "Progressing",
      /soon/,
    ],
    ["is there", withConditions(condition("Ready", "True")), "Healthy"],
  ],
  "kubeflow.org/v1 Notebook": [
    ["is stopped", { metadata: { annotations: { "kubeflow-resource-stopped": "now" } } }, "Suspended"],
    ["runs", { status: { readyReplicas: 1 } }, "Healthy"],
    ["can't pull", { status: { containerState: { waiting: { reason: "ImagePullBackOff" } } } }, "Degraded"],
  ],
  "sparkoperator.k8s.io/v1beta2 SparkApplication": [
    ["runs", { status: { applicationState: { state: "RUNNING" } } }, "Healthy"],
    ["failed", { status: { applicationState: { state: "FAILED", errorMessage: "boom" } } }, "Degraded", /boom/],
    ["is new", {}, "Progressing"],
  ],
  "monitoring.coreos.com/v1 Prometheus": [
    ["is up", withConditions(condition("Available", "True")), "Healthy"],
    ["is half up", withConditions(condition("Available", "Degraded", "1 of 2")), "Degraded", /1 of 2/],
  ],
  "example.com/v1 Widget": [
    ["has no status", { spec: {} }, undefined],
    ["has a status that says nothing", { status: { colour: "red" } }, undefined],
    ["isn't observed", { metadata: { generation: 2 }, status: { observedGeneration: 1 } }, "Progressing"],
    [
      "is stalled",
      withConditions(condition("Ready", "True"), condition("Stalled", "True", "stuck")),
      "Degraded",
      /stuck/,
    ],
    [
      "reconciles",
      withConditions(condition("Ready", "True"), condition("Reconciling", "True", "wait")),
      "Progressing",
      /wait/,
    ],
    ["is ready", withConditions(condition("Ready", "True")), "Healthy"],
    ["isn't ready", withConditions(condition("Ready", "False", "why")), "Degraded", /why/],
    ["doesn't know", withConditions(condition("Ready", "Unknown")), "Progressing"],
    ["is being deleted", { metadata: { deletionTimestamp: "x" }, status: {} }, "Progressing"],
  ],
  "v1 ConfigMap": [["is just there", { data: { a: "b" } }, undefined]],
};

for (const [type, rows] of Object.entries(cases)) {
  const [apiVersion, kind] = type.split(" ");
  describe(`a ${kind}`, () => {
    test.each(rows)("that %s", (_what, object, health, message) => {
      const assessed = assessHealth({ apiVersion, kind, ...object });

      expect(assessed?.health).toBe(health);
      if (message) expect(assessed?.message).toMatch(message);
    });
  });
}

test("whatever an object is made of, judging it doesn't throw", () => {
  for (const kind of Object.keys(cases).map((type) => type.split(" "))) {
    for (const broken of [null, 7, "x", [], [null], { conditions: "x" }, { conditions: [null, 3, { type: 5 }] }]) {
      const object = { apiVersion: kind[0], kind: kind[1], metadata: broken, spec: broken, status: broken };
      expect(() => assessHealth(object)).not.toThrow();
    }
  }
});
