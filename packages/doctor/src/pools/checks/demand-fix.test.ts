import { expect, test } from "vitest";
import { judgeChecks } from "../../testing/judge-checks.fixture.ts";
import { threePools } from "../../testing/pool-profile.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { change, component, karpenter, restrict, type Template } from "./changed-pools.fixture.ts";
import { poolChecks } from "./index.ts";

test("an architecture that isn't named is warned of, with the patch that names it", () => {
  const objects = change("default-nodepool", (template) => restrict(template, "kubernetes.io/arch"));
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
    restrict(template, "kubernetes.io/arch");
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
