import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import {
  age,
  createPrinter,
  field,
  fieldOr,
  formatLabels,
  formatSelector,
  formatSome,
  name,
  optionalOr,
  readClassName,
  readIntOrText,
  readOptional,
  text,
  wide,
} from "./columns.ts";
import type { Printer } from "./types.ts";

export const networkPrinters: Readonly<Record<string, Printer>> = {
  services: createPrinter(
    name,
    field("Type", "spec", "type"),
    fieldOr("<none>", "Cluster-IP", "spec", "clusterIP"),
    text("External-IP", readExternalAddress),
    text("Port(s)", formatServicePorts),
    age,
    wide(text("Selector", (service) => formatLabels(service.at("spec", "selector")))),
  ),
  "endpointslices.discovery.k8s.io": createPrinter(
    name,
    field("AddressType", "addressType"),
    text("Ports", formatSlicePorts),
    text("Endpoints", formatSliceAddresses),
    age,
  ),
  "ingresses.networking.k8s.io": createPrinter(
    name,
    optionalOr("<none>", "Class", "spec", "ingressClassName"),
    text("Hosts", formatHosts),
    text("Address", (ingress) => addressesOf(ingress).join(",")),
    text("Ports", (ingress) => (ingress.at("spec", "tls").list().length > 0 ? "80, 443" : "80")),
    age,
  ),
  "ingressclasses.networking.k8s.io": createPrinter(
    {
      ...name,
      read: (ingressClass) => readClassName(ingressClass, ["ingressclass.kubernetes.io/is-default-class"]),
    },
    field("Controller", "spec", "controller"),
    text("Parameters", formatParameters),
    age,
  ),
  endpoints: createPrinter(name, text("Endpoints", formatEndpoints), age),
  "networkpolicies.networking.k8s.io": createPrinter(
    name,
    text("Pod-Selector", (policy) => formatSelector(policy.at("spec", "podSelector"))),
    age,
  ),
  "servicecidrs.networking.k8s.io": createPrinter(
    name,
    text("CIDRs", (object) =>
      object
        .at("spec", "cidrs")
        .list()
        .map((range) => range.text() ?? "")
        .join(","),
    ),
    age,
  ),
  "ipaddresses.networking.k8s.io": createPrinter(name, text("ParentRef", formatParent)),
};

function formatEndpoints(endpoints: Fields): Cell {
  const subsets = endpoints.at("subsets").list();
  if (subsets.length === 0) return "<none>";
  return formatSome(
    subsets.flatMap((subset) => {
      const addresses = subset
        .at("addresses")
        .list()
        .map((address) => address.at("ip").text() ?? "");
      const ports = subset
        .at("ports")
        .list()
        .map((port) => port.at("port").number() ?? 0);
      if (ports.length === 0) return addresses;
      return ports.flatMap((port) => addresses.map((ip) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)));
    }),
  );
}

function formatParent(address: Fields): Cell {
  const parent = address.at("spec", "parentRef");
  if (!parent.exists) return "<none>";
  const group = parent.at("group").text();
  const resource = `${parent.at("resource").text() ?? ""}${group === undefined ? "" : `.${group}`}`.toLowerCase();
  const namespace = parent.at("namespace").text();
  return [resource, ...(namespace === undefined ? [] : [namespace]), parent.at("name").text() ?? ""].join("/");
}

function readExternalAddress(service: Fields): Cell {
  const external = service
    .at("spec", "externalIPs")
    .list()
    .map((address) => address.text() ?? "");
  switch (service.at("spec", "type").text() ?? "") {
    case "ClusterIP":
    case "NodePort":
      return external.length === 0 ? "<none>" : external.join(",");
    case "LoadBalancer": {
      const all = [...addressesOf(service), ...external];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return service.at("spec", "externalName").text() ?? "";
    default:
      return "<unknown>";
  }
}

function addressesOf(object: Fields): string[] {
  const entries = object.at("status", "loadBalancer", "ingress").list();
  const addresses = entries.flatMap((entry) => entry.at("ip").text() ?? entry.at("hostname").text() ?? []);
  return [...new Set(addresses)].sort();
}

function formatServicePorts(service: Fields): Cell {
  const ports = service.at("spec", "ports").list();
  if (ports.length === 0) return "<none>";
  return ports
    .map((port) => {
      const nodePort = port.at("nodePort").number();
      return `${port.at("port").number() ?? 0}${nodePort ? `:${nodePort}` : ""}/${port.at("protocol").text() ?? "TCP"}`;
    })
    .join(",");
}

function formatSlicePorts(slice: Fields): Cell {
  const ports = slice.at("ports").list();
  return (
    formatSome(ports.map((port) => readIntOrText(port.at("port")) ?? readOptional(port.at("name")) ?? "*")) || "<unset>"
  );
}

function formatSliceAddresses(slice: Fields): Cell {
  const addresses = slice
    .at("endpoints")
    .list()
    .flatMap((endpoint) => endpoint.at("addresses").list())
    .map((address) => address.text() ?? "");
  return formatSome(addresses) || "<unset>";
}

/** Rules without a host count among those that aren't shown. */
function formatHosts(ingress: Fields): Cell {
  const rules = ingress.at("spec", "rules").list();
  const hosts: string[] = [];
  for (const rule of rules) {
    if (hosts.length === shownHosts) return `${hosts.join(",")} + ${rules.length - shownHosts} more...`;
    const host = rule.at("host").text();
    if (host !== undefined) hosts.push(host);
  }
  return hosts.length === 0 ? "*" : hosts.join(",");
}

const shownHosts = 3;

function formatParameters(ingressClass: Fields): Cell {
  const parameters = ingressClass.at("spec", "parameters");
  if (!parameters.exists) return "<none>";
  const group = readOptional(parameters.at("apiGroup"));
  const kind = `${parameters.at("kind").text() ?? ""}${group === undefined ? "" : `.${group}`}`;
  return `${kind}/${parameters.at("name").text() ?? ""}`;
}
