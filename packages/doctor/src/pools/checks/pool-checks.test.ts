import { expect, test } from "vitest";
import type { ClusterObject } from "../../snapshot/index.ts";
import { judgeChecks, notPassed } from "../../testing/judge-checks.fixture.ts";
import { threePools } from "../../testing/pool-profile.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { change, component, karpenter, restrict } from "./changed-pools.fixture.ts";
import { poolChecks } from "./index.ts";

test.each([
  "pools/karpenter-aws",
  "pools/eks-managed",
  "pools/gke",
  "pools/aks",
  "pools/openshift",
  "pools/oke",
  "pools/generic",
])("the pools of %s pass every check", (path) => {
  const verdicts = judgeChecks(poolChecks, readStandIn(path), { profile: threePools });
  expect(notPassed(verdicts)).toEqual({});
  expect([...verdicts.keys()]).toEqual(expect.arrayContaining(["pools.critical", "pools.default", "pools.gpu"]));
});

test.each<[string, Record<string, string>, ClusterObject[]]>([
  [
    "a critical pool whose taint has no value isn't tolerated by value",
    { "pools.critical": "fail" },
    change("critical-nodepool", ({ spec }) => {
      spec.taints = [{ key: component, effect: "NoSchedule" }];
    }),
  ],
  [
    "a critical pool without its taint, known by its label",
    { "pools.critical": "fail" },
    change("critical-nodepool", ({ spec }) => {
      delete spec.taints;
    }),
  ],
  [
    "a critical pool without its label, known by its taint",
    { "pools.critical": "fail" },
    change("critical-nodepool", (template) => {
      delete template.metadata;
    }),
  ],
  [
    "critical pods on spot nodes",
    { "pools.critical": "fail" },
    change("critical-nodepool", (template) => restrict(template, "karpenter.sh/capacity-type", "spot", "on-demand")),
  ],
  [
    "no critical pool",
    { "pools.critical": "fail" },
    karpenter.filter(({ metadata }) => metadata.name !== "critical-nodepool"),
  ],
  [
    "a default pool with a taint",
    { "pools.default": "fail" },
    change("default-nodepool", ({ spec }) => {
      spec.taints = [{ key: "team", value: "a", effect: "NoSchedule" }];
    }),
  ],
  [
    "a default pool that may make arm64 nodes",
    { "pools.default": "fail" },
    change("default-nodepool", (template) => restrict(template, "kubernetes.io/arch", "amd64", "arm64")),
  ],
  [
    "a default pool that doesn't say its architecture",
    { "pools.default": "warn" },
    change("default-nodepool", (template) => restrict(template, "kubernetes.io/arch")),
  ],
  [
    "a default pool that doesn't say its capacity type",
    { "pools.default": "fail" },
    change("default-nodepool", (template) => {
      restrict(template, "kubernetes.io/arch", "arm64");
      restrict(template, "karpenter.sh/capacity-type");
    }),
  ],
  [
    "a default pool of on-demand nodes alone",
    { "pools.default": "warn" },
    change("default-nodepool", (template) => restrict(template, "karpenter.sh/capacity-type", "on-demand")),
  ],
  [
    "GPU nodes without a taint",
    { "pools.gpu": "fail" },
    change("gpu-nodepool", ({ spec }) => {
      delete spec.taints;
    }),
  ],
  [
    "GPU nodes without the operator's label",
    { "pools.gpu": "fail" },
    change("gpu-nodepool", (template) => {
      delete template.metadata;
    }),
  ],
  [
    "a NodePool that isn't ready",
    { "pools.ready": "fail" },
    changed(karpenter, "NodePool", "default-nodepool", (each) => {
      each["status"] = { conditions: [{ type: "Ready", status: "False", message: "NodeClass not found" }] };
    }),
  ],
  [
    "a pool near its limit",
    { "pools.limits": "warn" },
    changed(karpenter, "NodePool", "default-nodepool", (each) => {
      each["status"] = { resources: { cpu: "192" }, conditions: [{ type: "Ready", status: "True" }] };
    }),
  ],
])("%s", (_, expected, objects) => {
  expect(notPassed(judgeChecks(poolChecks, objects, { profile: threePools }))).toEqual(expected);
});

test.each(["true", "present", undefined])("the GPU taint may have the value %s, or none", (value) => {
  const objects = change("gpu-nodepool", ({ spec }) => {
    spec.taints = [{ key: "nvidia.com/gpu", ...(value !== undefined && { value }), effect: "NoSchedule" }];
  });
  expect(notPassed(judgeChecks(poolChecks, objects, { profile: threePools }))).toEqual({});
});

test("taints that only a starting node has don't count", () => {
  const objects = change("default-nodepool", ({ spec }) => {
    Object.assign(spec, { startupTaints: [{ key: "node.cilium.io/agent-not-ready", effect: "NoExecute" }] });
  });
  expect(notPassed(judgeChecks(poolChecks, objects, { profile: threePools }))).toEqual({});
});

test("a cluster without GPUs is only warned", () => {
  const objects = readStandIn("pools/generic").filter(({ metadata }) => metadata.name !== "gpu-1");
  expect(notPassed(judgeChecks(poolChecks, objects, { profile: threePools }))).toEqual({ "pools.gpu": "warn" });
});

test("a profile that asks for one pool judges that one alone", () => {
  expect([...judgeChecks(poolChecks, karpenter).keys()]).toEqual(["pools.default", "pools.limits", "pools.ready"]);
});

test.each(["nodes", "nodepools.karpenter.sh"])("without the right to read %s nothing is said of pools", (resource) => {
  const hidden = new Map([[resource, "forbidden"]]);
  const verdicts = judgeChecks(poolChecks, karpenter, { profile: threePools, hidden });
  expect(new Set([...verdicts.values()].map(({ is }) => is))).toEqual(new Set(["unknown"]));
});
