import { Fields } from "@fairlead/kernel";
import { type ClusterObject, isPlanned, refTo, type Snapshot } from "../snapshot/index.ts";
import type { Backends } from "./backends.ts";
import { readChosenFor } from "./chosen-for.ts";
import type { Backend, Gateway, Listener, ListenerTls } from "./gateway.ts";

export const gatewayApiGateways = "gateways.gateway.networking.k8s.io";

export function readGatewayApiGateways(snapshot: Snapshot, backends: Backends): Gateway[] {
  return snapshot.listSeen(gatewayApiGateways).map((object) => readGateway(object, backends));
}

function readGateway(object: ClusterObject, backends: Backends): Gateway {
  const fields = new Fields(object);
  const className = fields.at("spec", "gatewayClassName").text();
  const listeners = fields.at("spec", "listeners").list();
  return {
    id: `gateway-api/${object.metadata.namespace ?? "default"}/${object.metadata.name}`,
    kind: "gateway-api",
    object: refTo(gatewayApiGateways, object),
    chosenFor: readChosenFor(object),
    ...(className !== undefined && { className }),
    listeners: listeners.flatMap((listener, index) => readListener(listener, `spec.listeners[${index}]`)),
    backend: readBackend(object, backends),
    programmed: readProgrammed(fields),
    ...(isPlanned(object) && { isPlanned: true }),
  };
}

function readListener(listener: Fields, field: string): Listener[] {
  const port = listener.at("port").number();
  if (port === undefined) return [];
  const protocol = (listener.at("protocol").text() ?? "").toUpperCase();
  const host = (listener.at("hostname").text() ?? "*").toLowerCase();
  return [{ host, port, protocol, ...(isSecure(protocol) && { tls: readTls(listener.at("tls")) }), field }];
}

const isSecure = (protocol: string): boolean => protocol === "HTTPS" || protocol === "TLS";

function readTls(tls: Fields): ListenerTls {
  if (tls.at("mode").text() === "Passthrough") return { is: "passthrough" };
  const name = tls.at("certificateRefs").list()[0]?.at("name").text();
  if (name !== undefined) return { is: "secret", name };
  // Classes of clouds name their certificates in options: networking.gke.io/pre-shared-certs.
  const [option] = tls.at("options").entries();
  return option ? { is: "elsewhere", where: `the option ${option[0]}` } : { is: "unnamed" };
}

/** Controllers that run proxies in the cluster put the Gateway's name on them; others say only an address. */
function readBackend(object: ClusterObject, backends: Backends): Backend {
  const { name, namespace } = object.metadata;
  const byStandard = backends.find({ "gateway.networking.k8s.io/gateway-name": name }, namespace);
  const byEnvoyGateway = { "gateway.envoyproxy.io/owning-gateway-name": name, ...ownedIn(namespace) };
  const { selector: _, ...backend } = byStandard.hasPods ? byStandard : backends.find(byEnvoyGateway);
  const addresses = new Fields(object)
    .at("status", "addresses")
    .list()
    .flatMap((address) => address.at("value").text() ?? []);
  return { ...backend, addresses: [...new Set([...backend.addresses, ...addresses])].toSorted() };
}

const ownedIn = (namespace = "default"): Record<string, string> => ({
  "gateway.envoyproxy.io/owning-gateway-namespace": namespace,
});

function readProgrammed(fields: Fields): NonNullable<Gateway["programmed"]> {
  const condition = fields.condition("Programmed");
  if (!condition) return { isTrue: false, message: "no controller has said anything about it" };
  if (!fields.isObserved) return { isTrue: false, message: "its controller has not seen its last change" };
  return { isTrue: condition.status === "True", message: condition.message ?? condition.status };
}
