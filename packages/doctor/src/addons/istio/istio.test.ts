import { expect, test } from "vitest";
import type { Addon } from "../../catalogue/index.ts";
import type { ClusterObject } from "../../snapshot/index.ts";
import { allPass, examineAddon, verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { istio } from "./istio.ts";
import { istioBase } from "./istio-base.ts";
import { istioIngress } from "./istio-ingress.ts";

test.each([
  ["its charts", "istio/chart", { version: "1.30.0", provenance: { is: "helm", release: "istiod" } }],
  ["istioctl", "istio/upstream", { version: "1.30.0", provenance: { is: "manifests" } }],
  ["AKS, which has a control plane for each revision", "istio/provider-aks", { version: "1.27.3" }],
  ["charts in ambient mode", "istio/ambient", { version: "1.30.0" }],
])("Istio from %s is found and fit", (_, path, installation) => {
  for (const addon of [istio, istioBase, istioIngress]) {
    const report = examineAddon(addon, readStandIn(path));
    expect(report).toMatchObject({ state: "healthy" });
    expect(new Set(Object.values(verdictsOf(report)))).toEqual(new Set(addon.checks.length > 0 ? ["pass"] : []));
  }
  expect(examineAddon(istio, readStandIn(path)).installation).toMatchObject(installation);
});

test("a gateway whose image is `auto` has the version that its pods run", () => {
  expect(examineAddon(istioIngress, readStandIn("istio/chart")).installation.version).toBe("1.30.0");
});

test("definitions alone are what an uninstalled Istio leaves behind", () => {
  const definitions = readStandIn("istio/chart").filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(examineAddon(istio, definitions).state).toBe("crds-only");
  expect(examineAddon(istioIngress, definitions).state).toBe("absent");
});

test("a mesh that Google runs has no control plane here, and isn't absent", () => {
  const group = "mesh.cloud.google.com";
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `controlplanerevisions.${group}` },
    spec: { group, names: { kind: "ControlPlaneRevision", plural: "controlplanerevisions" } },
  };
  const revision = {
    apiVersion: `${group}/v1beta1`,
    kind: "ControlPlaneRevision",
    metadata: { namespace: "istio-system", name: "asm-managed" },
    spec: { type: "managed_service" },
  };
  expect(examineAddon(istio, [definition, revision]).state).toBe("provider-managed");
});

test("in ambient mode each node needs its ztunnel", () => {
  const objects = changed(readStandIn("istio/ambient"), "DaemonSet", "ztunnel", (each) => {
    each["status"] = { desiredNumberScheduled: 3, numberReady: 2 };
  });
  expect(verdictsOf(examineAddon(istio, readStandIn("istio/ambient")))).toEqual(allPass(istio));
  expect(verdictsOf(examineAddon(istio, objects))).toMatchObject({ "istio.node-proxies": "fail" });
});

const fit = readStandIn("istio/chart");

test.each<[string, Addon, string, string, ClusterObject[]]>([
  [
    "a webhook without its CA can't be called",
    istio,
    "istio.validation-webhook",
    "fail",
    changed(fit, "ValidatingWebhookConfiguration", "istio-validator-istio-system", (each) => {
      each["webhooks"] = [{ name: "rev.validation.istio.io", clientConfig: {} }];
    }),
  ],
  [
    "a second revision is an upgrade that was not finished",
    istio,
    "istio.one-revision",
    "warn",
    [...fit, ...revisionOf(fit, "1-29")],
  ],
  [
    "a gateway's pod that kept the image `auto` was never injected",
    istioIngress,
    "istio-ingress.injected",
    "fail",
    changed(fit, "Pod", "istio-ingress-7d4f-x1", (each) => {
      each["spec"] = { containers: [{ name: "istio-proxy", image: "auto" }] };
    }),
  ],
])("%s", (_, addon, id, is, objects) => {
  const { checks } = examineAddon(addon, objects);
  const verdict = checks.find(({ check }) => check.id === id)?.verdict;
  expect(verdict).toMatchObject({ is, evidence: [expect.anything(), ...(is === "warn" ? [expect.anything()] : [])] });
  expect(checks.filter((each) => each.verdict.is !== "pass")).toHaveLength(1);
});

test("where pods may not be read, nobody says that the gateway was injected", () => {
  const report = examineAddon(istioIngress, fit, { hidden: new Map([["pods", "forbidden"]]) });
  expect(verdictsOf(report)).toEqual({ "istio-ingress.injected": "unknown" });
});

function revisionOf(objects: readonly ClusterObject[], revision: string): ClusterObject[] {
  const istiod = objects.filter(({ kind, metadata }) => kind === "Deployment" && metadata.name === "istiod");
  return istiod.map((each) => ({
    ...each,
    metadata: { ...each.metadata, name: `istiod-${revision}`, labels: { app: "istiod", "istio.io/rev": revision } },
  }));
}
