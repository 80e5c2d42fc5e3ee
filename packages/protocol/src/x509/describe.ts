import { X509Certificate } from "node:crypto";
import { parseEpochUri } from "./epoch.ts";
import { x509Errors } from "./errors.ts";
import { hubHost, hubUri, parseHubUri } from "./hub-name.ts";
import { keyThumbprint } from "./keys.ts";
import { parseSpiffeUri, type SpiffeIdentity } from "./spiffe.ts";

export interface CertificateDescription {
  /** Lower-case hex. */
  readonly serial: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SHA-256 over the DER, lower-case hex. */
  readonly fingerprint: string;
  readonly keyThumbprint: string;
  /** Only URIs in our own form; others in the certificate are left out. */
  readonly identities: readonly SpiffeIdentity[];
  /** The epoch of the cluster's identities; undefined where the certificate says none, or several. */
  readonly epoch?: number | undefined;
}

/** Reads the first certificate in the text. Says nothing about whether to trust it. */
export function describeCertificate(source: string | Uint8Array | X509Certificate): CertificateDescription {
  const certificate = source instanceof X509Certificate ? source : parseCertificate(source);
  return {
    serial: certificate.serialNumber.toLowerCase(),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    keyThumbprint: keyThumbprint(certificate.publicKey),
    identities: readUris(certificate, parseSpiffeUri),
    ...readEpoch(certificate),
  };
}

/**
 * The id of the hub that the certificate vouches for; undefined unless its names and usages are just those that a hub's
 * has. Says nothing about whether to trust it, nor of which trust domain it is.
 */
export function readHubIdentity(certificate: X509Certificate): string | undefined {
  const { subjectAltName = "", keyUsage = [] } = certificate;
  const hub = parseHubUri(subjectAltName.split(", ")[0]?.replace(/^URI:/, "") ?? "");
  if (hub === undefined || subjectAltName !== `URI:${hubUri(hub)}, DNS:${hubHost(hub)}`) return undefined;
  return [serverAuth, clientAuth].every((usage) => keyUsage.includes(usage)) ? hub.id : undefined;
}

export function parseCertificate(pemOrDer: string | Uint8Array): X509Certificate {
  try {
    return new X509Certificate(pemOrDer);
  } catch (error) {
    throw x509Errors.IDENTITY_CERTIFICATE_MALFORMED({ cause: error });
  }
}

/** How a certificate's dates look from a given clock; the distance tells a wrong clock from a real expiry. */
export type CertificateTime =
  | { readonly state: "valid"; readonly leftMs: number }
  | { readonly state: "not-yet-valid"; readonly earlyMs: number }
  | { readonly state: "expired"; readonly lateMs: number };

export function certificateTime(
  certificate: { readonly notBefore: number; readonly notAfter: number },
  nowMs: number,
): CertificateTime {
  if (nowMs < certificate.notBefore) return { state: "not-yet-valid", earlyMs: certificate.notBefore - nowMs };
  if (nowMs > certificate.notAfter) return { state: "expired", lateMs: nowMs - certificate.notAfter };
  return { state: "valid", leftMs: certificate.notAfter - nowMs };
}

function readEpoch(certificate: X509Certificate): Pick<CertificateDescription, "epoch"> {
  const [epoch, ...others] = readUris(certificate, parseEpochUri);
  return epoch === undefined || others.length > 0 ? {} : { epoch };
}

function readUris<T>(certificate: X509Certificate, parse: (uri: string) => T | undefined): T[] {
  // Node quotes an entry that holds a comma or a quote (CVE-2021-44532), and such an entry is never in our form.
  return (certificate.subjectAltName ?? "").split(", ").flatMap((entry) => {
    const found = entry.startsWith("URI:") ? parse(entry.slice(4)) : undefined;
    return found === undefined ? [] : [found];
  });
}

/** Node's `keyUsage` holds the extended usages. */
const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";
