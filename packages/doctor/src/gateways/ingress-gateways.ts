import { Fields } from "@fairlead/kernel";
import { type ClusterObject, readTextMap, refTo, type Snapshot } from "../snapshot/index.ts";
import { readChosenFor } from "./chosen-for.ts";
import { type Gateway, type Listener, type ListenerTls, noBackend } from "./gateway.ts";

export const ingresses = "ingresses.networking.k8s.io";

/** Ingresses that name hosts. One without claims no domain, only paths at some address. */
export function readIngressGateways(snapshot: Snapshot): Gateway[] {
  return snapshot
    .listSeen(ingresses)
    .map(readIngress)
    .filter(({ listeners }) => listeners.length > 0);
}

/** The class in its field or in the old annotation. Without one, the cluster's default class is meant. */
export function ingressClassOf(
  object: ClusterObject,
): { readonly name: string; readonly isField: boolean } | undefined {
  const named = new Fields(object).at("spec", "ingressClassName").text();
  if (named !== undefined) return { name: named, isField: true };
  const annotated = new Fields(object).at("metadata", "annotations", "kubernetes.io/ingress.class").text();
  return annotated === undefined ? undefined : { name: annotated, isField: false };
}

function readIngress(object: ClusterObject): Gateway {
  const fields = new Fields(object);
  const className = ingressClassOf(object)?.name;
  const rules = fields.at("spec", "rules").list();
  const addresses = fields
    .at("status", "loadBalancer", "ingress")
    .list()
    .flatMap((entry) => entry.at("hostname").text() ?? entry.at("ip").text() ?? []);
  return {
    id: `ingress/${object.metadata.namespace ?? "default"}/${object.metadata.name}`,
    kind: "ingress",
    object: refTo(ingresses, object),
    chosenFor: readChosenFor(object),
    ...(className !== undefined && { className }),
    listeners: rules.flatMap((rule, index) => readRule(rule, fields, `spec.rules[${index}]`)),
    backend: { ...noBackend, addresses: [...new Set(addresses)].toSorted() },
  };
}

function readRule(rule: Fields, ingress: Fields, field: string): Listener[] {
  const host = rule.at("host").text()?.toLowerCase();
  if (host === undefined) return [];
  const paths = rule.at("http", "paths").list();
  const urlPaths = paths.length === 0 ? ["/"] : paths.map((path) => path.at("path").text() ?? "/");
  const tls = readTls(host, ingress);
  const plain: Listener = { host, port: 80, protocol: "HTTP", urlPaths, field };
  return tls ? [plain, { host, port: 443, protocol: "HTTPS", tls, urlPaths, field }] : [plain];
}

function readTls(host: string, ingress: Fields): ListenerTls | undefined {
  const entry = ingress
    .at("spec", "tls")
    .list()
    .find((each) =>
      each
        .at("hosts")
        .list()
        .some((named) => named.text()?.toLowerCase() === host),
    );
  const name = entry?.at("secretName").text();
  if (name !== undefined) return { is: "secret", name };
  const annotations = readTextMap(ingress.at("metadata", "annotations"));
  const annotation = cloudCertificates.find((key) => annotations[key] !== undefined);
  if (annotation !== undefined) return { is: "elsewhere", where: `the annotation ${annotation}` };
  return entry && { is: "unnamed" };
}

/** Annotations by which load balancers of clouds are given certificates of their own. */
const cloudCertificates: readonly string[] = [
  "alb.ingress.kubernetes.io/certificate-arn",
  "ingress.gcp.kubernetes.io/pre-shared-cert",
  "networking.gke.io/managed-certificates",
  "networking.gke.io/certmap",
  "appgw.ingress.kubernetes.io/appgw-ssl-certificate",
  "kubernetes.azure.com/tls-cert-keyvault-uri",
];
