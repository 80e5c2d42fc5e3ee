import { expect, test } from "vitest";
import type { ClusterObject } from "../../snapshot/index.ts";
import { judgeChecks, notPassed } from "../../testing/judge-checks.fixture.ts";
import { threePools } from "../../testing/pool-profile.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { poolChecks } from "./index.ts";

const karpenter = readStandIn("pools/karpenter-aws");

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

interface Template {
  metadata?: { labels: Record<string, string> };
  spec: { taints?: object[]; requirements: { key: string; operator: string; values?: string[] }[] };
}
const change = (pool: string, edit: (template: Template) => void): ClusterObject[] =>
  changed(karpenter, "NodePool", pool, (each) => {
    edit((each["spec"] as { template: Template }).template);
  });
const require = (template: Template, key: string, ...values: readonly string[]): void => {
  template.spec.requirements = template.spec.requirements.filter((requirement) => requirement.key !== key);
  if (values.length > 0) template.spec.requirements.push({ key, operator: "In", values: [...values] });
};
const component = "class.truefoundry.com/component";

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
    change("critical-nodepool", (template) => require(template, "karpenter.sh/capacity-type", "spot", "on-demand")),
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
    change("default-nodepool", (template) => require(template, "kubernetes.io/arch", "amd64", "arm64")),
  ],
  [
    "a default pool that doesn't say its architecture",
    { "pools.default": "warn" },
    change("default-nodepool", (template) => require(template, "kubernetes.io/arch")),
  ],
  [
    "a default pool that doesn't say its capacity type",
    { "pools.default": "fail" },
    change("default-nodepool", (template) => {
      require(template, "kubernetes.io/arch", "arm64");
      require(template, "karpenter.sh/capacity-type");
    }),
  ],
  [
    "a default pool of on-demand nodes alone",
    { "pools.default": "warn" },
    change("default-nodepool", (template) => require(template, "karpenter.sh/capacity-type", "on-demand")),
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

test("an architecture that isn't named is warned of, with the patch that names it", () => {
  const objects = change("default-nodepool", (template) => require(template, "kubernetes.io/arch"));
  const verdict = judgeChecks(poolChecks, objects, { profile: threePools }).get("pools.default");
  expect(verdict).toMatchObject({
    is: "warn",
    message: "default-nodepool differs in kubernetes.io/arch.",
    evidence: [
      {
        object: { resource: "nodepools.karpenter.sh", name: "default-nodepool" },
        path: "spec.template.spec.requirements",
        observed: "kubernetes.io/arch: absent",
        expected: "kubernetes.io/arch In amd64",
      },
    ],
  });
});

test.each(["critical-nodepool", "default-nodepool", "gpu-nodepool"])("the patch of %s makes it pass", (name) => {
  const spoiled = change(name, (template) => {
    delete template.metadata;
    template.spec.taints = [{ key: name === "default-nodepool" ? "team" : component, effect: "NoSchedule" }];
    require(template, "kubernetes.io/arch");
  });
  const patched = spoiled.map((object) => structuredClone(object));
  for (const verdict of judgeChecks(poolChecks, spoiled, { profile: threePools }).values()) {
    if (verdict.is === "pass" || verdict.fix?.is !== "patch") continue;
    const { object, patch } = verdict.fix;
    const target = patched.find(({ metadata }) => metadata.name === object.name) as unknown as {
      spec: { template: Template };
    };
    const { metadata, spec } = (patch as { spec: { template: Template } }).spec.template;
    target.spec.template = {
      ...target.spec.template,
      ...(metadata && { metadata }),
      spec: { ...target.spec.template.spec, ...spec },
    };
  }
  const own = name.replace("-nodepool", "");
  expect(judgeChecks(poolChecks, spoiled, { profile: threePools }).get(`pools.${own}`)?.is).not.toBe("pass");
  expect(judgeChecks(poolChecks, patched, { profile: threePools }).get(`pools.${own}`)).toMatchObject({ is: "pass" });
});

test("a pool that is missing can be made with the node class of another", () => {
  const objects = karpenter.filter(({ metadata }) => metadata.name !== "critical-nodepool");
  expect(judgeChecks(poolChecks, objects, { profile: threePools }).get("pools.critical")).toMatchObject({
    fix: {
      is: "manifest",
      objects: [{ kind: "NodePool", spec: { template: { spec: { nodeClassRef: { name: "default" } } } } }],
    },
  });
});

test("without Karpenter the nodes' own taints and labels are the fix", () => {
  const objects = changed(readStandIn("pools/gke"), "Node", "gke-3", (each) => {
    each["spec"] = {};
  });
  expect(judgeChecks(poolChecks, objects, { profile: threePools }).get("pools.gpu")).toMatchObject({
    is: "fail",
    evidence: [{ object: { resource: "nodes", name: "gke-3" }, path: "spec.taints", observed: "none" }],
    fix: { command: "kubectl taint nodes gke-3 nvidia.com/gpu=true:NoSchedule --overwrite" },
  });
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
