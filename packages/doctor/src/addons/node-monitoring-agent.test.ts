import { testGolden } from "../testing/golden-cases.fixture.ts";
import { nodeMonitoringAgent } from "./node-monitoring-agent.ts";

const of = "node-monitoring-agent/chart";
const ready = [{ type: "Ready", status: "True" }];

testGolden(nodeMonitoringAgent, {
  clusterType: "eks",
  shapes: [
    // Its chart label has no version; the image's tag has.
    { of, version: "1.7.0", provenance: "helm" },
    { of: "node-monitoring-agent/provider-eks", version: "1.7.0", provenance: "provider" },
    { of: "node-monitoring-agent/provider-eks-auto-mode", version: undefined, provenance: undefined },
  ],
  cases: [
    {
      title: "a node has no condition of the agent",
      of,
      change: ["Node", "ip-10-0-0-2", "status/conditions", ready],
      verdicts: { "node-monitoring-agent.conditions": "warn" },
      state: "healthy",
    },
    {
      title: "a node of Fargate needs none",
      of: "node-monitoring-agent/provider-eks",
      edit: (objects) => [
        ...objects,
        {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: "fargate-1", labels: { "eks.amazonaws.com/compute-type": "fargate" } },
          status: { conditions: ready },
        },
      ],
    },
    {
      title: "it doesn't run on one of two nodes",
      of,
      change: ["DaemonSet", "eks-node-monitoring-agent", "status/numberReady", 1],
      state: "degraded",
    },
    {
      title: "its definition alone is residue",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind === "CustomResourceDefinition"),
      state: "crds-only",
    },
  ],
});
