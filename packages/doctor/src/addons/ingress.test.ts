import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { allPass, examineAddon, verdictsOf } from "../testing/examine-addon.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { ingress } from "./ingress.ts";

test.each([
  ["ingress-nginx", "ingress/chart-nginx", "1.14.0"],
  ["Traefik", "ingress/chart-traefik", "3.6.2"],
  ["the AWS Load Balancer Controller", "ingress/chart-alb", "2.16.0"],
])("%s is found and fit", (_, path, version) => {
  const report = examineAddon(ingress, readStandIn(path));
  expect(report).toMatchObject({ state: "healthy", installation: { version } });
  expect(verdictsOf(report)).toEqual(allPass(ingress));
});

test.each([
  ["EKS Auto Mode", "eks.amazonaws.com/alb"],
  ["AKS' application routing", "webapprouting.kubernetes.azure.com/nginx"],
])("a class of %s has its controller outside the cluster", (name, controller) => {
  expect(examineAddon(ingress, [classOf("own", controller)])).toMatchObject({
    state: "provider-managed",
    message: `${name} runs it.`,
  });
});

test("a class alone doesn't make an ingress controller", () => {
  expect(examineAddon(ingress, [classOf("nginx", "k8s.io/ingress-nginx")]).state).toBe("absent");
});

test("a class whose controller was removed is named", () => {
  const objects = [...readStandIn("ingress/chart-traefik"), classOf("nginx", "k8s.io/ingress-nginx")];
  expect(verdictsOf(examineAddon(ingress, objects))).toMatchObject({ "ingress.class-served": "warn" });
});

test("nothing is said of a class whose controller nobody knows", () => {
  const objects = [...readStandIn("ingress/chart-traefik"), classOf("odd", "example.com/odd")];
  expect(verdictsOf(examineAddon(ingress, objects))).toEqual(allPass(ingress));
});

test("with two default classes no new Ingress without a class is taken", () => {
  const other = {
    ...classOf("other", "example.com/odd"),
    metadata: { name: "other", annotations: { [mark]: "true" } },
  };
  const report = examineAddon(ingress, [...readStandIn("ingress/chart-traefik"), other]);
  expect(report.checks.find(({ check }) => check.id === "ingress.default-class")?.verdict).toMatchObject({
    is: "fail",
    message: "2 classes are the default: other, traefik.",
    fix: { is: "patch", object: { name: "traefik" } },
  });
});

const mark = "ingressclass.kubernetes.io/is-default-class";

function classOf(name: string, controller: string): ClusterObject {
  return { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name }, spec: { controller } };
}
