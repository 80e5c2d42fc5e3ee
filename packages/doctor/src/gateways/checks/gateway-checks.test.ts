import { expect, test } from "vitest";
import { fairlead } from "../../profiles/index.ts";
import type { ClusterObject } from "../../snapshot/index.ts";
import { judgeChecks, notPassed } from "../../testing/judge-checks.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { gatewayChecks } from "./index.ts";

const istio = readStandIn("istio/chart");
const envoy = readStandIn("gateway-api/upstream");
const traefik = readStandIn("ingress/chart-traefik");

test.each([
  "istio/chart",
  "istio/upstream",
  "istio/provider-aks",
  "istio/ambient",
  "gateway-api/upstream",
  "ingress/chart-traefik",
  "ingress/chart-nginx",
  "ingress/chart-alb",
])("the gateways of %s pass every check", (path) => {
  const profile = { ...fairlead, baseDomains: ["*.apps.example.com"] };
  expect(notPassed(judgeChecks(gatewayChecks, readStandIn(path), { profile }))).toEqual({});
});

type Change = Parameters<typeof changed>[3];
const set =
  (spec: object): Change =>
  (each) => {
    each["spec"] = { ...(each["spec"] as object), ...spec };
  };
const https = { number: 443, name: "https", protocol: "HTTPS" };

test.each<[string, Record<string, string>, ClusterObject[]]>([
  [
    "two gateways with the same host and port",
    { "gateways.duplicate-hosts": "fail" },
    [...istio, copyOf(istio, "public", "other")],
  ],
  [
    "an Istio Gateway and one of the Gateway API with the same host and port",
    { "gateways.duplicate-hosts": "fail" },
    [...istio, ...envoy],
  ],
  [
    "port 443 that speaks HTTP",
    { "gateways.port-443-tls": "warn" },
    changed(
      istio,
      "Gateway",
      "public",
      set({ servers: [{ port: { ...https, protocol: "HTTP" }, hosts: ["*.apps.example.com"] }] }),
    ),
  ],
  [
    "TLS without a certificate",
    { "gateways.tls-secret": "fail" },
    changed(
      istio,
      "Gateway",
      "public",
      set({ servers: [{ port: https, hosts: ["*.apps.example.com"], tls: { mode: "SIMPLE" } }] }),
    ),
  ],
  [
    "a selector that matches no pod",
    { "gateways.selector": "fail" },
    changed(istio, "Gateway", "public", set({ selector: { istio: "ingressgateway" } })),
  ],
  [
    "a load balancer without an address",
    { "gateways.address": "warn" },
    changed(istio, "Service", "istio-ingress", (each) => {
      each["status"] = { loadBalancer: {} };
    }),
  ],
  [
    "a Gateway that isn't programmed",
    { "gateways.programmed": "fail" },
    changed(envoy, "Gateway", "shared", (each) => {
      each["status"] = { conditions: [{ type: "Programmed", status: "False", message: "no address" }] };
    }),
  ],
  [
    "a Gateway whose class doesn't exist",
    { "gateways.class-exists": "fail" },
    changed(envoy, "Gateway", "shared", set({ gatewayClassName: "envoy" })),
  ],
  [
    "an Ingress whose class doesn't exist",
    { "gateways.class-exists": "fail" },
    changed(traefik, "Ingress", "shop", set({ ingressClassName: "nginx" })),
  ],
  [
    "an Ingress without a class where none is the default",
    { "gateways.class-exists": "fail" },
    changed(
      changed(traefik, "Ingress", "shop", set({ ingressClassName: undefined })),
      "IngressClass",
      "traefik",
      (each) => {
        Object.assign(each, { metadata: { name: "traefik" } });
      },
    ),
  ],
])("%s", (_, expected, objects) => {
  expect(notPassed(judgeChecks(gatewayChecks, objects))).toEqual(expected);
});

test("two gateways with the same host and port are fine once somebody chose, for each port", () => {
  const objects = [...istio, ...envoy];
  const prefer = (port: number) => ({ host: "*.apps.example.com", port, gateway: "istio/istio-system/public" });
  const judge = (...ports: readonly number[]) =>
    judgeChecks(gatewayChecks, objects, { gatewayPreferences: ports.map(prefer) }).get("gateways.duplicate-hosts");
  expect(judge(80, 443)).toMatchObject({ is: "pass" });
  expect(judge(80)).toMatchObject({
    is: "fail",
    message: "Several gateways claim *.apps.example.com:443.",
    evidence: [
      { object: { name: "shared" }, path: "spec.listeners[1]" },
      { object: { name: "public" }, path: "spec.servers[1]" },
    ],
    fix: {
      command:
        "kubectl annotate gateways.gateway.networking.k8s.io/shared 'fairlead.dev/serves=*.apps.example.com:443' --namespace envoy-gateway-system --overwrite",
    },
  });
});

test("a choice of a gateway that is gone settles nothing", () => {
  const gatewayPreferences = [80, 443].map((port) => ({ host: "*.apps.example.com", port, gateway: "istio/x/gone" }));
  const verdicts = judgeChecks(gatewayChecks, [...istio, ...envoy], { gatewayPreferences });
  expect(verdicts.get("gateways.duplicate-hosts")).toMatchObject({ is: "fail" });
});

test("a load balancer that ends TLS may send plain HTTP to port 443", () => {
  const plain = changed(
    istio,
    "Gateway",
    "public",
    set({ servers: [{ port: { ...https, protocol: "HTTP" }, hosts: ["*"] }] }),
  );
  const objects = changed(plain, "Service", "istio-ingress", ({ metadata }) => {
    Object.assign(metadata, {
      annotations: { "service.beta.kubernetes.io/aws-load-balancer-ssl-cert": "arn:aws:acm" },
    });
  });
  expect(notPassed(judgeChecks(gatewayChecks, objects))).toEqual({});
});

test.each([
  ["istio", istio, "/spec/servers/0/hosts/-"],
  ["gateway-api", envoy, "/spec/listeners/-"],
] as const)("a base domain that nobody serves can be added to the gateway: %s", (_, objects, path) => {
  const profile = { ...fairlead, baseDomains: ["*.other.example.org"] };
  const verdict = judgeChecks(gatewayChecks, objects, { profile }).get("gateways.base-domains");
  expect(verdict).toMatchObject({ is: "fail", message: "No gateway serves *.other.example.org." });
  expect(verdict).toMatchObject({ fix: { is: "patch", type: "json", patch: [{ op: "add", path }, { op: "add" }] } });
});

test("the selector of the only ingress gateway is the fix", () => {
  const objects = changed(istio, "Gateway", "public", set({ selector: { istio: "ingressgateway" } }));
  expect(judgeChecks(gatewayChecks, objects).get("gateways.selector")).toMatchObject({
    fix: { patch: [{ op: "replace", path: "/spec/selector", value: { istio: "istio-ingress" } }] },
  });
});

test.each<[string, string, readonly ClusterObject[]]>([
  ["class-exists", "a class", changed(traefik, "Ingress", "shop", set({ ingressClassName: "internal" }))],
  [
    "class-exists",
    "the class of a Gateway",
    changed(envoy, "Gateway", "shared", set({ gatewayClassName: "internal" })),
  ],
  ["selector", "a selector", changed(istio, "Gateway", "public", set({ selector: { istio: "internal" } }))],
  ["duplicate-hosts", "which gateway counts", [...istio, ...envoy]],
])("%s: %s isn't chosen unasked, since it decides who is served", (id, _, objects) => {
  expect(judgeChecks(gatewayChecks, objects).get(`gateways.${id}`)).toMatchObject({
    fix: { risk: { is: "destructive", cost: expect.any(String) } },
  });
});

test("GKE serves Ingresses without a class", () => {
  const objects = changed(traefik, "Ingress", "shop", set({ ingressClassName: undefined })).filter(
    ({ kind }) => kind !== "IngressClass",
  );
  const verdicts = judgeChecks(gatewayChecks, objects, { clusterType: "gke" });
  expect(verdicts.get("gateways.class-exists")).toMatchObject({ is: "pass" });
});

test.each([
  ["gateways.networking.istio.io", "gateways.duplicate-hosts"],
  ["ingresses.networking.k8s.io", "gateways.duplicate-hosts"],
  ["ingressclasses.networking.k8s.io", "gateways.class-exists"],
])("without the right to read %s, %s is unknown", (resource, id) => {
  const hidden = new Map([[resource, "forbidden"]]);
  expect(judgeChecks(gatewayChecks, [...istio, ...traefik], { hidden }).get(id)).toMatchObject({ is: "unknown" });
});

test("a selector that matches nothing isn't called wrong where pods may not be read", () => {
  const objects = changed(istio, "Gateway", "public", set({ selector: { istio: "ingressgateway" } }));
  const verdicts = judgeChecks(gatewayChecks, objects, { hidden: new Map([["pods", "forbidden"]]) });
  expect(verdicts.get("gateways.selector")).toMatchObject({ is: "unknown" });
});

test("a host that holds a command stays one word of the printed one", () => {
  const evil = set({ servers: [{ port: { number: 80, protocol: "HTTP" }, hosts: ["x'; reboot; '"] }] });
  const objects = changed(istio, "Gateway", "public", evil);
  const verdicts = judgeChecks(gatewayChecks, [...objects, copyOf(objects, "public", "other")]);
  expect(verdicts.get("gateways.duplicate-hosts")).toMatchObject({
    fix: {
      command:
        "kubectl annotate gateways.networking.istio.io/other 'fairlead.dev/serves=x'\\''; reboot; '\\'':80' --namespace istio-system --overwrite",
    },
  });
});

function copyOf(objects: readonly ClusterObject[], name: string, copy: string): ClusterObject {
  const found = objects.find(({ kind, metadata }) => kind === "Gateway" && metadata.name === name);
  return { ...found, metadata: { namespace: "istio-system", name: copy } };
}
