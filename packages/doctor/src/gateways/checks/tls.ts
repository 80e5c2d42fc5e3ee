import { Fields } from "@fairlead/kernel";
import { type ClusterCheck, fail, few, listNames, pass, warn } from "../../checks/index.ts";
import type { Evidence, Snapshot } from "../../snapshot/index.ts";
import type { Claim } from "../duplicates.ts";
import type { Gateway } from "../gateway.ts";
import { readAllGateways } from "../read-gateways.ts";

export const port443Tls: ClusterCheck = {
  id: "gateways.port-443-tls",
  title: "Port 443 speaks TLS",
  why: "Browsers speak TLS on port 443. A listener there that expects plain HTTP answers them with an error, unless a load balancer in front ends TLS.",
  severity: "recommended",
  features: ["tls"],
  judge: ({ snapshot }) => {
    const plain = claimsOf(readAllGateways(snapshot)).filter(
      ({ gateway, listener }) =>
        listener.port === 443 &&
        listener.protocol.startsWith("HTTP") &&
        !listener.tls &&
        !endsTlsBefore(gateway, snapshot),
    );
    if (plain.length === 0) return pass("No listener on port 443 is without TLS.");
    return warn(
      `Without TLS on port 443: ${namesOf(plain)}.`,
      few(plain).map((claim) => evidenceOf(claim, claim.listener.protocol, "HTTPS with a certificate")),
    );
  },
};

export const tlsSecret: ClusterCheck = {
  id: "gateways.tls-secret",
  title: "Each TLS listener names its certificate",
  why: "A listener that ends TLS and names no Secret serves the controller's self-signed certificate, or nothing at all: browsers refuse both. Only the name is looked at. The Secret is never read.",
  severity: "recommended",
  features: ["tls"],
  judge: ({ snapshot }) => {
    const unnamed = claimsOf(readAllGateways(snapshot)).filter(({ listener }) => listener.tls?.is === "unnamed");
    if (unnamed.length === 0) return pass("Each listener that ends TLS names its certificate.");
    return fail(
      `Without the name of a certificate: ${namesOf(unnamed)}.`,
      few(unnamed).map((claim) => evidenceOf(claim, "TLS without a Secret", secretFields[claim.gateway.kind])),
    );
  },
};

const secretFields: Readonly<Record<Gateway["kind"], string>> = {
  istio: "tls.credentialName",
  "gateway-api": "tls.certificateRefs",
  ingress: "spec.tls[*].secretName for this host",
};

function claimsOf(gateways: readonly Gateway[]): Claim[] {
  return gateways.flatMap((gateway) => gateway.listeners.map((listener) => ({ gateway, listener })));
}

function evidenceOf({ gateway, listener }: Claim, observed: string, expected: string): Evidence {
  return { object: gateway.object, path: listener.field, observed: `${listener.host}: ${observed}`, expected };
}

function namesOf(claims: readonly Claim[]): string {
  return listNames(claims.map(({ gateway }) => gateway.id));
}

/** Load balancers of clouds end TLS themselves when their Service names a certificate. */
function endsTlsBefore({ backend }: Gateway, snapshot: Snapshot): boolean {
  const services = snapshot.list("services");
  return backend.services.some(({ namespace, name }) => {
    const service = services.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    const annotations = new Fields(service).at("metadata", "annotations");
    return certificateAnnotations.some((annotation) => annotations.at(annotation).exists);
  });
}

const certificateAnnotations: readonly string[] = [
  "service.beta.kubernetes.io/aws-load-balancer-ssl-cert",
  "service.beta.kubernetes.io/oci-load-balancer-tls-secret",
  "service.beta.kubernetes.io/do-loadbalancer-certificate-id",
];
