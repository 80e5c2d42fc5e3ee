import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { allPass, examineAddon, verdictsOf } from "../testing/examine-addon.fixture.ts";
import { changed, readStandIn } from "../testing/stand-ins.fixture.ts";
import { gatewayApi } from "./gateway-api.ts";

const fit = readStandIn("gateway-api/upstream");

test("the Gateway API with Envoy Gateway is found and fit", () => {
  const report = examineAddon(gatewayApi, fit);
  expect(report).toMatchObject({ state: "healthy", installation: { version: "1.6.0" } });
  expect(verdictsOf(report)).toEqual(allPass(gatewayApi));
});

test("definitions that no controller serves are no Gateway API", () => {
  const definitions = fit.filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(examineAddon(gatewayApi, definitions).state).toBe("crds-only");
});

test("Istio without the definitions of the Gateway API is none", () => {
  expect(examineAddon(gatewayApi, readStandIn("istio/chart")).state).toBe("absent");
});

test.each([
  ["networking.gke.io/gateway", "GKE runs it."],
  ["istio.io/gateway-controller", "Istio runs it."],
  ["example.com/controller", "example.com/controller runs it."],
])("a class that %s accepted has its controller somewhere else", (controllerName, message) => {
  const objects = changed(withoutController(), "GatewayClass", "eg", (each) => {
    each["spec"] = { controllerName };
  });
  expect(examineAddon(gatewayApi, objects)).toMatchObject({ state: "provider-managed", message });
});

test("a class that nobody accepts is named", () => {
  const objects = changed(fit, "GatewayClass", "eg", (each) => {
    each["status"] = { conditions: [{ type: "Accepted", status: "Unknown", message: "Waiting for controller" }] };
  });
  const report = examineAddon(gatewayApi, objects);
  expect(verdictsOf(report)).toMatchObject({ "gateway-api.class-accepted": "warn" });
  expect(report.checks[0]?.verdict.evidence).toMatchObject([{ observed: "Waiting for controller" }]);
});

test("definitions of before version 1 don't serve our routes", () => {
  const objects = changed(fit, "CustomResourceDefinition", "httproutes.gateway.networking.k8s.io", (each) => {
    const spec = each["spec"] as { versions: object[] };
    spec.versions = [{ name: "v1beta1", served: true, storage: true }];
  });
  expect(verdictsOf(examineAddon(gatewayApi, objects))).toMatchObject({ "gateway-api.version": "fail" });
});

function withoutController(): ClusterObject[] {
  return fit.filter(({ metadata }) => metadata.name !== "envoy-gateway");
}
