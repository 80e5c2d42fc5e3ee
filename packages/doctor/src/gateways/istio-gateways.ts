import { Fields } from "@fairlead/kernel";
import { type ClusterObject, readTextMap, refTo, type Snapshot } from "../snapshot/index.ts";
import type { Backends } from "./backends.ts";
import { readChosenFor } from "./chosen-for.ts";
import { type Gateway, type Listener, type ListenerTls, noBackend } from "./gateway.ts";

export const istioGateways = "gateways.networking.istio.io";

/** Istio's Gateways, but for those that let requests out of the cluster. */
export function readIstioGateways(snapshot: Snapshot, backends: Backends): Gateway[] {
  return snapshot
    .listSeen(istioGateways)
    .filter((object) => new Fields(object).at("spec", "selector", "istio").text() !== "egressgateway")
    .map((object) => readGateway(object, backends));
}

function readGateway(object: ClusterObject, backends: Backends): Gateway {
  const fields = new Fields(object);
  const selector = readTextMap(fields.at("spec", "selector"));
  const servers = fields.at("spec", "servers").list();
  return {
    id: `istio/${object.metadata.namespace ?? "default"}/${object.metadata.name}`,
    kind: "istio",
    object: refTo(istioGateways, object),
    chosenFor: readChosenFor(object),
    listeners: servers.flatMap((server, index) => readServer(server, `spec.servers[${index}]`)),
    // Without a selector the Gateway stands for every proxy, which says nothing about pods.
    backend: Object.keys(selector).length === 0 ? noBackend : backends.find(selector),
  };
}

function readServer(server: Fields, field: string): Listener[] {
  const port = server.at("port", "number").number();
  if (port === undefined) return [];
  const tls = readTls(server.at("tls"));
  const protocol = (server.at("port", "protocol").text() ?? "HTTP").toUpperCase();
  return server
    .at("hosts")
    .list()
    .flatMap((host) => host.text() ?? [])
    .map((host) => ({ host: hostOf(host), port, protocol, ...(tls && { tls }), field }));
}

/** `bookinfo/*.example.com` says in which namespace routes may be. */
function hostOf(text: string): string {
  return text.slice(text.indexOf("/") + 1).toLowerCase();
}

function readTls(tls: Fields): ListenerTls | undefined {
  const mode = tls.at("mode").text();
  const name = tls.at("credentialName").text() ?? tls.at("credentialNames").list()[0]?.text();
  if (name !== undefined) return { is: "secret", name };
  if (mode === "PASSTHROUGH" || mode === "AUTO_PASSTHROUGH") return { is: "passthrough" };
  const file = tls.at("serverCertificate").text();
  if (file !== undefined) return { is: "elsewhere", where: `the file ${file} in its pods` };
  if (mode === "ISTIO_MUTUAL") return { is: "elsewhere", where: "certificates of the mesh" };
  return mode === undefined ? undefined : { is: "unnamed" };
}
