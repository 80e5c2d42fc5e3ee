import { expect, test } from "vitest";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { clusterOf, readStandIn } from "../testing/stand-ins.fixture.ts";
import { domainsOf } from "./domains.ts";
import { findDuplicates } from "./duplicates.ts";
import { urlOfNewService } from "./new-service-url.ts";
import { readGateways } from "./read-gateways.ts";

test("an Istio Gateway has the address of the Service before its pods, and hosts without their namespace", () => {
  const [gateway, ...others] = readGateways(clusterOf("istio/chart"));
  expect(others).toEqual([]);
  expect(gateway).toMatchObject({
    id: "istio/istio-system/public",
    backend: {
      hasPods: true,
      pods: [{ name: "istio-ingress-7d4f-x1" }],
      services: [{ namespace: "istio-system", name: "istio-ingress" }],
      addresses: ["lb-1.example.net"],
      isWaitingForAddress: false,
    },
  });
  expect(gateway?.listeners.map(({ host, port, tls }) => [host, port, tls?.is])).toEqual([
    ["*.apps.example.com", 80, undefined],
    ["example.com", 80, undefined],
    ["*.apps.example.com", 443, "secret"],
    ["example.com", 443, "secret"],
  ]);
});

test("a Gateway that lets requests out of the cluster serves no domain", () => {
  const egress = istioGateway("egress", ["api.example.net"], { istio: "egressgateway" });
  expect(readGateways(cluster([egress]))).toEqual([]);
});

test("a Gateway of the Gateway API says its class, whether it is programmed, and its address once", () => {
  expect(readGateways(clusterOf("gateway-api/upstream"))).toMatchObject([
    {
      id: "gateway-api/envoy-gateway-system/shared",
      className: "eg",
      programmed: { isTrue: true },
      listeners: [
        { host: "*.apps.example.com", port: 80 },
        { host: "*.apps.example.com", port: 443, tls: { is: "secret", name: "apps-tls" } },
      ],
      backend: { hasPods: true, addresses: ["198.51.100.7"] },
    },
  ]);
});

test("an Ingress is plain and, where it names a certificate, secure", () => {
  expect(readGateways(clusterOf("ingress/chart-traefik"))).toMatchObject([
    {
      id: "ingress/default/shop",
      className: "traefik",
      listeners: [
        { host: "shop.example.com", port: 80, urlPaths: ["/"] },
        { host: "shop.example.com", port: 443, tls: { is: "secret", name: "shop-tls" } },
      ],
      backend: { addresses: ["198.51.100.9"] },
    },
  ]);
});

test("ingresses of one class share a host, and not a path of it", () => {
  const one = ingress("one", "nginx", "/");
  const duplicates = (...objects: readonly ClusterObject[]): number =>
    findDuplicates(readGateways(cluster(objects))).length;
  expect(duplicates(one, ingress("two", "nginx", "/two"))).toBe(0);
  expect(duplicates(one, ingress("two", "nginx", "/"))).toBe(1);
  expect(duplicates(one, ingress("two", "other", "/two"))).toBe(1);
  expect(duplicates(one, istioGateway("public", ["shop.example.com"]))).toBe(1);
});

test("a wildcard gives a new service a host, a plain domain a path", () => {
  const gateways = readGateways(clusterOf("istio/chart"));
  const domains = domainsOf(gateways);
  const service = { name: "web", namespace: "shop" };
  expect(domains.map(({ host, isSecure, port }) => [host, isSecure, port])).toEqual([
    ["*.apps.example.com", true, 443],
    ["example.com", true, 443],
  ]);
  expect(urlOfNewService({ domains, ...service })).toEqual({
    is: "url",
    url: "https://web-shop.apps.example.com",
    gateway: "istio/istio-system/public",
  });
  const plain = domains.filter(({ host }) => host === "example.com");
  expect(urlOfNewService({ domains: plain, ...service })).toMatchObject({ url: "https://example.com/web-shop" });
  expect(urlOfNewService({ domains, name: "w".repeat(60), namespace: "shop" })).toMatchObject({
    url: `https://example.com/${"w".repeat(60)}-shop`,
  });
  expect(urlOfNewService({ domains: [], ...service })).toMatchObject({ is: "none" });
});

test("a gateway for `*` serves the base domains", () => {
  const gateways = readGateways(cluster([istioGateway("public", ["*"])]));
  const domains = domainsOf(gateways, { baseDomains: ["*.eu.example.com"] });
  expect(domains).toMatchObject([{ host: "*.eu.example.com", isBase: true, servedBy: { id: "istio/default/public" } }]);
  expect(urlOfNewService({ domains, name: "web", namespace: "shop" })).toMatchObject({
    url: "http://web-shop.eu.example.com",
  });
});

test("an application's own Ingress is no place for other services", () => {
  const domains = domainsOf(readGateways(clusterOf("ingress/chart-traefik")));
  expect(domains).toMatchObject([{ host: "shop.example.com", isShared: false }]);
  expect(urlOfNewService({ domains, name: "web", namespace: "shop" })).toMatchObject({ is: "none" });
});

test("a host that two gateways claim belongs to neither until somebody chooses", () => {
  const gateways = readGateways(cluster([istioGateway("a", ["*.example.com"]), istioGateway("b", ["*.example.com"])]));
  const contested = domainsOf(gateways);
  expect(contested).toMatchObject([{ servedBy: { is: "contested", ids: ["istio/default/a", "istio/default/b"] } }]);
  expect(urlOfNewService({ domains: contested, name: "web", namespace: "shop" })).toMatchObject({ is: "none" });
  const preferences = [{ host: "*.example.com", port: 80, gateway: "istio/default/b" }];
  expect(domainsOf(gateways, { preferences })).toMatchObject([{ servedBy: { is: "gateway", id: "istio/default/b" } }]);
});

test("gateways come in the same order whatever the order of objects", () => {
  const objects = ["istio/chart", "gateway-api/upstream", "ingress/chart-alb"].flatMap(readStandIn);
  const read = (each: readonly ClusterObject[]) => readGateways(snapshotOfObjects({ objects: each, isComplete: true }));
  expect(read(objects.toReversed())).toEqual(read(objects));
});

function cluster(objects: readonly ClusterObject[]) {
  return snapshotOfObjects({ objects, isComplete: true });
}

function istioGateway(name: string, hosts: string[], selector: object = { istio: "ingress" }): ClusterObject {
  const servers = [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts }];
  const metadata = { namespace: "default", name };
  return { apiVersion: "networking.istio.io/v1", kind: "Gateway", metadata, spec: { selector, servers } };
}

function ingress(name: string, className: string, path: string): ClusterObject {
  const rules = [{ host: "shop.example.com", http: { paths: [{ path, pathType: "Prefix" }] } }];
  const metadata = { namespace: "default", name };
  const spec = { ingressClassName: className, rules };
  return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec };
}
