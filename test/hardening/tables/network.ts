import { type KindShapes, type Shape, vary } from "./vary.ts";
import { selectors } from "./workloads.ts";

const balanced = [
  {},
  { status: { loadBalancer: { ingress: [{ ip: "192.0.2.7" }] } } },
  {
    status: {
      loadBalancer: {
        ingress: [
          { ip: "192.0.2.9" },
          { hostname: "b.a-very-long-name.example.com" },
          { ip: "192.0.2.10" },
          { ip: "192.0.2.9" },
          { ip: "192.0.2.8", hostname: "c.example.com" },
        ],
      },
    },
  },
  { status: { loadBalancer: { ingress: [{ hostname: "lb.example.com" }, {}] } } },
];
const portOf = (...all: readonly (readonly [port: number, protocol: string, nodePort?: number])[]): Shape => ({
  spec: {
    ports: all.map(([port, protocol, nodePort], index) => ({
      name: `p${index}`,
      port,
      protocol,
      targetPort: port,
      ...(nodePort !== undefined && { nodePort }),
    })),
  },
});
const addresses = (...ips: readonly string[]): Shape => ({ addresses: ips.map((ip) => ({ ip })) });
const ports = (...numbers: readonly number[]): Shape => ({
  ports: numbers.map((port) => ({ name: `p${port}`, port, protocol: "TCP" })),
});

export const networkShapes: KindShapes = {
  services: vary(
    [
      { spec: { type: "ClusterIP", clusterIP: "10.0.0.50", clusterIPs: ["10.0.0.50"] } },
      { spec: { type: "NodePort", clusterIP: "10.0.0.51", clusterIPs: ["10.0.0.51", "fd00::51"] } },
      { spec: { type: "LoadBalancer", clusterIP: "fd00::52", clusterIPs: ["fd00::52"] } },
      { spec: { type: "ExternalName", externalName: "away.example.com" } },
      { spec: { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"] } },
      { spec: { type: "LoadBalancer", clusterIP: "10.0.0.53", clusterIPs: ["10.0.0.53"] } },
    ],
    balanced,
    [{}, { spec: { externalIPs: ["198.51.100.2", "198.51.100.1"] } }, {}],
    [portOf([80, "TCP"]), {}, portOf([443, "TCP", 30443], [53, "UDP"], [9, "SCTP", 30009])],
    [{ spec: { selector: { app: "x", a: "b" } } }, {}],
  ),
  endpoints: vary([
    {},
    { subsets: [{ ...addresses("10.1.0.1") }] },
    { subsets: [{ ...addresses("10.1.0.1", "10.1.0.2", "10.1.0.3"), ...ports(80) }] },
    { subsets: [{ ...addresses("10.1.0.1", "10.1.0.2"), ...ports(80, 443) }] },
    { subsets: [{ ...addresses("fd00::1"), ...ports(80) }, addresses("10.1.0.3", "10.1.0.4", "10.1.0.5")] },
    { subsets: [{ notReadyAddresses: [{ ip: "10.1.0.9" }], ...ports(80) }] },
    { subsets: [addresses("10.1.0.1", "10.1.0.2", "10.1.0.3", "10.1.0.4")] },
  ]),
  "endpointslices.discovery.k8s.io": vary(
    [{ addressType: "IPv4" }, { addressType: "IPv6" }, { addressType: "FQDN" }],
    [
      {},
      { ports: [] },
      { ports: [{ port: 80, name: "web", protocol: "TCP" }] },
      { ports: [{ name: "named", protocol: "TCP" }] },
      { ports: [{ protocol: "TCP" }] },
      { ports: [{ protocol: "TCP" }, { port: 0, protocol: "UDP" }] },
      { ports: [1, 2, 3].map((port) => ({ port, name: `p${port}`, protocol: "TCP" })) },
      { ports: [1, 2, 3, 4, 5].map((port) => ({ port, name: `p${port}`, protocol: "TCP" })) },
    ],
    [
      { endpoints: [] },
      { endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: false }, nodeName: "one" }] },
      {
        endpoints: [{ addresses: ["10.1.0.1", "10.1.0.2"] }, { addresses: ["10.1.0.3"], conditions: { ready: true } }],
      },
      { endpoints: [1, 2, 3, 4].map((at) => ({ addresses: [`10.1.0.${at}`], targetRef: { kind: "Pod", name: "x" } })) },
      { endpoints: [{ addresses: [] }] },
    ],
  ),
  "ingresses.networking.k8s.io": vary(
    [{ spec: { ingressClassName: "edge" } }, {}, { spec: { ingressClassName: "" } }],
    [
      {},
      rulesFor("a"),
      rulesFor("a", "b", "c"),
      rulesFor("a", "b", "c", "d", "e"),
      rulesFor("", "a"),
      rulesFor("a", "", "b", "c"),
      rulesFor("a", "b", "c", ""),
      rulesFor(""),
    ],
    balanced,
    [{}, { spec: { tls: [{ hosts: ["a.example.com"] }] } }, { spec: { tls: [] } }],
  ),
  "ingressclasses.networking.k8s.io": vary(
    [{ spec: { controller: "example.com/edge" } }, {}],
    [
      {},
      { spec: { parameters: { kind: "Settings", name: "edge" } } },
      { spec: { parameters: { apiGroup: "example.com", kind: "Settings", name: "edge", scope: "Cluster" } } },
      { spec: { parameters: { apiGroup: "", kind: "ConfigMap", name: "edge", namespace: "edge" } } },
    ],
    [
      {},
      { metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } } },
      { metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "false" } } },
    ],
  ),
  "networkpolicies.networking.k8s.io": vary([
    { spec: { podSelector: {} } },
    ...selectors.map((podSelector) => ({ spec: { podSelector } })),
  ]),
  "servicecidrs.networking.k8s.io": vary([
    { spec: { cidrs: ["10.9.0.0/24"] } },
    { spec: { cidrs: ["10.9.0.0/24", "fd00:9::/112"] } },
    { spec: { cidrs: ["fd00:8::/112"] } },
  ]),
  "ipaddresses.networking.k8s.io": vary([
    { spec: { parentRef: { resource: "services", namespace: "default", name: "x" } } },
    { spec: { parentRef: { group: "Gateway.example.com", resource: "Gateways", namespace: "edge", name: "Y" } } },
    { spec: { parentRef: { group: "example.com", resource: "pools", name: "z" } } },
    {},
  ]).map((shape, index) => ({ ...shape, metadata: { name: `10.8.0.${index}` } })),
};

function rulesFor(...hosts: readonly string[]): Shape {
  return { spec: { rules: hosts.map((host) => (host === "" ? {} : { host: `${host}.example.com` })) } };
}
