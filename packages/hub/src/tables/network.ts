import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createPrinter, field, formatSelector, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

export const networkPrinters: Readonly<Record<string, Printer>> = {
  services: createPrinter(
    name,
    field("Type", "spec", "type"),
    text("Cluster-IP", (service) => service.at("spec", "clusterIP").text() ?? null),
    text("External-IP", readExternalAddress),
    text("Port(s)", formatServicePorts),
    age,
    wide(text("Selector", (service) => formatSelector(service.at("spec", "selector")))),
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
    text("Class", (ingress) => ingress.at("spec", "ingressClassName").text() ?? null),
    text("Hosts", formatHosts),
    text("Address", (ingress) => addressesOf(ingress).join(",")),
    text("Ports", (ingress) => (ingress.at("spec", "tls").list().length > 0 ? "80, 443" : "80")),
    age,
  ),
};

function readExternalAddress(service: Fields): Cell {
  const external = service
    .at("spec", "externalIPs")
    .list()
    .map((address) => address.text() ?? "");
  switch (service.at("spec", "type").text() ?? "") {
    case "ExternalName":
      return service.at("spec", "externalName").text() ?? null;
    case "LoadBalancer": {
      const all = [...addressesOf(service), ...external];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    default:
      return external.length === 0 ? null : external.join(",");
  }
}

function addressesOf(object: Fields): string[] {
  const entries = object.at("status", "loadBalancer", "ingress").list();
  return [...new Set(entries.map((entry) => entry.at("ip").text() ?? entry.at("hostname").text() ?? ""))];
}

function formatServicePorts(service: Fields): Cell {
  const ports = service.at("spec", "ports").list();
  if (ports.length === 0) return null;
  return ports
    .map((port) => {
      const nodePort = port.at("nodePort").number();
      return `${port.at("port").number() ?? 0}${nodePort ? `:${nodePort}` : ""}/${port.at("protocol").text() ?? "TCP"}`;
    })
    .join(",");
}

function formatSlicePorts(slice: Fields): Cell {
  const ports = slice.at("ports").list();
  if (ports.length === 0) return null;
  return formatSome(ports.map((port) => String(port.at("port").number() ?? port.at("name").text() ?? "*")));
}

function formatSliceAddresses(slice: Fields): Cell {
  const addresses = slice
    .at("endpoints")
    .list()
    .flatMap((endpoint) => endpoint.at("addresses").list())
    .map((address) => address.text() ?? "");
  return addresses.length === 0 ? null : formatSome(addresses);
}

function formatSome(values: readonly string[]): string {
  const more = values.length - shownValues;
  return values.slice(0, shownValues).join(",") + (more > 0 ? ` + ${more} more...` : "");
}

function formatHosts(ingress: Fields): Cell {
  const hosts = ingress
    .at("spec", "rules")
    .list()
    .flatMap((rule) => rule.at("host").text() ?? []);
  if (hosts.length === 0) return "*";
  return formatSome(hosts);
}

const shownValues = 3;
