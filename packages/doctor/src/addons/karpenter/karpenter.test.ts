import { expect, test } from "vitest";
import { examineAddon } from "../../testing/examine-addon.fixture.ts";
import { testGolden } from "../../testing/golden-cases.fixture.ts";
import { readStandIn } from "../../testing/stand-ins.fixture.ts";
import { karpenter } from "./karpenter.ts";

const of = "karpenter/chart";
const container = "spec/template/spec/containers/0";
const autoMode = "karpenter/provider-eks-auto-mode";

testGolden(karpenter, {
  clusterType: "eks",
  shapes: [
    // The image has a tag and a digest.
    { of, version: "1.8.1", provenance: "helm" },
    { of: autoMode, version: undefined, provenance: undefined },
    { of: "karpenter/provider-aks-auto-provisioning", version: undefined, provenance: undefined },
  ],
  cases: [
    {
      title: "the gate is off in the variable",
      of,
      change: ["Deployment", "karpenter", `${container}/env/1/value`, "ReservedCapacity=true,NodeRepair=false"],
      verdicts: { "karpenter.node-repair": "fail" },
      state: "healthy",
    },
    {
      title: "without gates, the default is off",
      of,
      change: ["Deployment", "karpenter", `${container}/env`, undefined],
      verdicts: { "karpenter.node-repair": "fail" },
    },
    {
      title: "the flag beats the variable: off",
      of,
      change: ["Deployment", "karpenter", `${container}/args`, ["--feature-gates=NodeRepair=false"]],
      verdicts: { "karpenter.node-repair": "fail" },
    },
    {
      title: "the flag beats the variable: it doesn't name the gate",
      of,
      change: ["Deployment", "karpenter", `${container}/args`, ["--feature-gates", "ReservedCapacity=true"]],
      verdicts: { "karpenter.node-repair": "fail" },
    },
    {
      title: "the flag beats the variable: on",
      of,
      edit: (objects) =>
        objects.map((object) => {
          const text = JSON.stringify(object).replace("NodeRepair=true", "NodeRepair=false");
          return JSON.parse(
            text.replace('"env":', '"args":["--feature-gates=NodeRepair=true"],"env":'),
          ) as typeof object;
        }),
    },
    {
      title: "the gates come from elsewhere",
      of,
      change: ["Deployment", "karpenter", `${container}/env/1/valueFrom`, { configMapKeyRef: { name: "a", key: "b" } }],
      verdicts: { "karpenter.node-repair": "unknown" },
    },
    {
      title: "no node monitoring agent runs",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind !== "DaemonSet"),
      verdicts: { "karpenter.monitoring-agent": "warn" },
    },
    {
      title: "one of its two pods is ready",
      of,
      change: ["Deployment", "karpenter", "status/readyReplicas", 1],
      verdicts: { "karpenter.two-replicas": "warn" },
      state: "degraded",
    },
    {
      title: "definitions of its own without a pod are residue",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind === "CustomResourceDefinition"),
      state: "crds-only",
    },
    {
      title: "nobody calls it the provider's who may not see Deployments",
      of: autoMode,
      hidden: new Map([["deployments.apps", "forbidden"]]),
      state: "unknown",
    },
  ],
});

test("what was installed from manifests is mended by the variable's patch, and keeps its other gates", () => {
  const objects = readStandIn(of).map((object) => {
    const text = JSON.stringify(object).replace("NodeRepair=true", "NodeRepair=false");
    const { labels: _labels, annotations: _annotations, ...metadata } = object.metadata;
    return { ...(JSON.parse(text) as typeof object), metadata };
  });
  const report = examineAddon(karpenter, objects);
  expect(report.checks.find(({ check }) => check.id === "karpenter.node-repair")?.verdict).toMatchObject({
    is: "fail",
    fix: {
      is: "patch",
      patch: { spec: { template: { spec: { containers: [{ name: "controller", env: [{ value: gates() }] }] } } } },
    },
  });
});

function gates(): string {
  return "ReservedCapacity=true,SpotToSpotConsolidation=false,NodeOverlay=false,NodeRepair=true";
}
