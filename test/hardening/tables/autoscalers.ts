import { type KindShapes, type Shape, vary } from "./vary.ts";

interface Target {
  readonly averageValue?: string;
  readonly averageUtilization?: number;
  readonly value?: string;
}

const typeOf = (target: Target): string => {
  if (target.averageUtilization !== undefined) return "Utilization";
  return target.averageValue === undefined ? "Value" : "AverageValue";
};
/** What each type of metric has beside its target. */
const sources = {
  Resource: ["resource", { name: "cpu" }],
  ContainerResource: ["containerResource", { name: "memory", container: "main" }],
  Pods: ["pods", { metric: { name: "rps" } }],
  Object: ["object", { metric: { name: "hits" }, describedObject: { kind: "Service", name: "x", apiVersion: "v1" } }],
  External: ["external", { metric: { name: "queue" } }],
} as const;
type MetricType = keyof typeof sources;

const spec = (type: MetricType, target: Target): Shape => {
  const [member, source] = sources[type];
  return { type, [member]: { ...source, target: { type: typeOf(target), ...target } } };
};
const status = (type: MetricType, current: Target): Shape => {
  const [member, source] = sources[type];
  return { type, [member]: { ...source, current } };
};

const share = spec("Resource", { averageUtilization: 80 });
const average = spec("Resource", { averageValue: "1024Mi" });
const automatic = spec("Resource", {});
const shareOfContainer = spec("ContainerResource", { averageUtilization: 50 });
const averageOfContainer = spec("ContainerResource", { averageValue: "1Gi" });
const pods = spec("Pods", { averageValue: "10" });
const objectValue = spec("Object", { value: "1500m" });
const objectAverage = spec("Object", { averageValue: "2k" });
const externalValue = spec("External", { value: "30" });
const externalAverage = spec("External", { averageValue: "0.5" });

const metrics: readonly (readonly [specs: readonly Shape[], statuses?: readonly Shape[]])[] = [
  [[]],
  [[share]],
  [[share], [status("Resource", { averageUtilization: 63, averageValue: "400m" })]],
  [[share], [status("Resource", { averageValue: "400m" })]],
  [[average], [status("Resource", { averageUtilization: 3, averageValue: "512Mi" })]],
  [[average], [status("Resource", { averageUtilization: 3 })]],
  [[average], [status("Pods", { averageValue: "1" })]],
  [[automatic], [status("Resource", { averageUtilization: 0 })]],
  [[shareOfContainer, averageOfContainer]],
  [
    [shareOfContainer, averageOfContainer],
    [status("ContainerResource", { averageUtilization: 7 }), status("ContainerResource", { averageValue: "1000" })],
  ],
  [[pods], [status("Pods", { averageValue: "2500m" })]],
  [[pods]],
  [[objectValue, objectAverage]],
  [
    [objectValue, objectAverage],
    [status("Object", { value: "3" }), status("Object", { averageValue: "1500" })],
  ],
  [
    [objectValue, objectAverage],
    [status("Object", { averageValue: "3" }), status("Object", { value: "1500" })],
  ],
  [[externalValue, externalAverage]],
  [
    [externalValue, externalAverage],
    [status("External", { value: "12" }), status("External", { averageValue: "300m", value: "9" })],
  ],
  [[externalValue], [status("External", { averageValue: "1" })]],
  [[share, pods, average]],
  [[share, pods, externalValue, objectAverage], [status("Resource", { averageUtilization: 101 })]],
];

export const autoscalerShapes: KindShapes = {
  "horizontalpodautoscalers.autoscaling": vary(
    metrics.map(([specs, statuses]) => ({
      spec: { metrics: specs },
      ...(statuses && { status: { currentMetrics: statuses } }),
    })),
    [{ spec: { minReplicas: 2 } }, {}, { spec: { minReplicas: 0 } }],
    [{ spec: { maxReplicas: 9 } }, { spec: { maxReplicas: 1_000 } }],
    [{}, { status: { currentReplicas: 4 } }],
    [
      { spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } } },
      { spec: { scaleTargetRef: { kind: "Ship", name: "anna" } } },
    ],
  ),
};
