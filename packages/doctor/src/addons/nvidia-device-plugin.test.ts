import { expect, test } from "vitest";
import { examineAddon } from "../testing/examine-addon.fixture.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { nvidiaDevicePlugin } from "./nvidia-device-plugin.ts";

const upstream = "nvidia-device-plugin/upstream";
const chart = "nvidia-device-plugin/chart";

testGolden(nvidiaDevicePlugin, {
  shapes: [
    { of: upstream, version: "0.17.4", provenance: "manifests" },
    { of: chart, version: "0.17.4", provenance: "helm" },
    { of: "nvidia-device-plugin/provider-gke", version: "1.0.35", provenance: "provider" },
  ],
  cases: [
    {
      title: "a labelled node offers no GPU",
      of: upstream,
      change: ["Node", "gpu-1", "status/allocatable", {}],
      verdicts: { "nvidia-device-plugin.allocatable": "fail" },
      state: "misconfigured",
    },
    {
      title: "a node that discovery alone has labelled doesn't say which GPU it has",
      of: chart,
      change: ["Node", "gpu-1", "metadata/labels", { "feature.node.kubernetes.io/pci-10de.present": "true" }],
      verdicts: { "nvidia-device-plugin.node-labels": "warn" },
    },
    {
      title: "it tolerates no taint",
      of: chart,
      change: ["DaemonSet", "nvidia-device-plugin", "spec/template/spec/tolerations", undefined],
      verdicts: { "nvidia-device-plugin.tolerations": "fail" },
    },
    {
      title: "without GPU nodes it has nothing to do, and is healthy",
      of: upstream,
      edit: (objects) =>
        objects
          .filter(({ kind }) => kind !== "Node")
          .map((object) => ({ ...object, status: { desiredNumberScheduled: 0, numberReady: 0 } })),
      state: "healthy",
    },
  ],
});

test("the GPU operator's own plugin is the operator's", () => {
  expect(examineAddon(nvidiaDevicePlugin, readStandIn("gpu-operator/chart")).state).toBe("absent");
});

test("the fix of a plugin from manifests keeps what it tolerates", () => {
  const objects = readStandIn(upstream).map((object) =>
    object.kind === "Node" ? { ...object, spec: { taints: [{ key: "team", effect: "NoSchedule" }] } } : object,
  );
  const { checks } = examineAddon(nvidiaDevicePlugin, objects);
  const tolerations = [{ key: "nvidia.com/gpu" }, { key: "team", operator: "Exists", effect: "NoSchedule" }];
  expect(checks.find(({ check }) => check.id.endsWith(".tolerations"))?.verdict).toMatchObject({
    fix: { is: "patch", type: "merge", patch: { spec: { template: { spec: { tolerations } } } } },
  });
});
