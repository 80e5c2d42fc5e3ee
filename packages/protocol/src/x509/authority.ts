// The certificate authority: a key that signs, and the three kinds of certificates that it signs. Their contents are
// written here from the caller's arguments; only the public key comes from a request.
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Role } from "../roles.ts";
import { keyAlgorithm, signingAlgorithm } from "./algorithms.ts";
import { readCsr } from "./csr.ts";
import { epochUri } from "./epoch.ts";
import { x509Errors } from "./errors.ts";
import { type HubName, hubHost, hubUri } from "./hub-name.ts";
import { createKeyPair, importKeyPair, keyThumbprint } from "./keys.ts";
import { loadX509, type X509Certificate as SignedCertificate } from "./load-x509.ts";
import { spiffeUri } from "./spiffe.ts";

/** Certificates begin this long before they are issued, for peers whose clock is behind. */
export const backdatedMs: number = 5 * 60_000;

export interface IssuedCertificate {
  /** The certificate, then the authority's. */
  readonly certPem: string;
  /** Lower-case hex. */
  readonly serial: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly keyThumbprint: string;
}

export interface IssuedServerCertificate extends IssuedCertificate {
  readonly keyPem: string;
}

export interface AgentCertificateRequest {
  readonly csrDer: Uint8Array;
  readonly trustDomain: string;
  readonly cluster: string;
  readonly roles: readonly Role[];
  /** The epoch of the cluster's identities, for a hub that has no record of them. */
  readonly epoch?: number | undefined;
  readonly ttlMs: number;
}

export interface ServerCertificateRequest {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  readonly ttlMs: number;
}

export interface HubCertificateRequest extends HubName {
  readonly ttlMs: number;
}

export interface Authority {
  readonly caPem: string;
  /** SHA-256 over the authority's certificate (DER), lower-case hex. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; nothing that it signs lives longer. */
  readonly notAfter: number;
  issueAgentCertificate(request: AgentCertificateRequest): Promise<IssuedCertificate>;
  issueServerCertificate(request: ServerCertificateRequest): Promise<IssuedServerCertificate>;
  /** For both sides of a connection between hubs. */
  issueHubCertificate(request: HubCertificateRequest): Promise<IssuedServerCertificate>;
}

export interface NewAuthority extends Authority {
  readonly keyPem: string;
}

export async function createAuthority(options: {
  readonly commonName: string;
  readonly days: number;
  readonly clock?: Clock | undefined;
}): Promise<NewAuthority> {
  const { commonName, days, clock = systemClock } = options;
  const { keys, keyPem } = await createKeyPair();
  const x509 = await loadX509();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    serialNumber: createSerial(),
    ...validity(clock.now(), days * dayMs),
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { ...(await loadAuthority({ certPem: toPem(certificate), keyPem, clock })), keyPem };
}

export async function loadAuthority(options: {
  readonly certPem: string;
  readonly keyPem: string;
  readonly clock?: Clock | undefined;
}): Promise<Authority> {
  const { certPem, keyPem, clock = systemClock } = options;
  const certificate = readAuthorityCertificate(certPem, keyPem);
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(new Uint8Array(certificate.raw));
  const { privateKey } = await importKeyPair(keyPem);
  const caPem = toPem(issuer);
  const notAfter = certificate.validToDate.getTime();

  return {
    caPem,
    createdAt: certificate.validFromDate.getTime() + backdatedMs,
    notAfter,
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),

    async issueAgentCertificate({ csrDer, trustDomain, cluster, roles, epoch, ttlMs }) {
      const { publicKey } = await readCsr(csrDer);
      const names = roles.map((role) => spiffeUri({ trustDomain, cluster, role }));
      const all = epoch === undefined ? names : [...names, epochUri(epoch)];
      const uris = all.map((value) => ({ type: "url" as const, value }));
      return await sign({ spki: publicKey, subject: cluster, names: uris, usages: ["clientAuth"], ttlMs });
    },

    async issueServerCertificate({ names, ttlMs }) {
      const altNames = names.map((name) => ({ type: isIP(name) ? ("ip" as const) : ("dns" as const), value: name }));
      return await signForNewKey({ subject: "fairlead-hub", names: altNames, usages: ["serverAuth"], ttlMs });
    },

    async issueHubCertificate({ ttlMs, ...hub }) {
      const names = [
        { type: "url" as const, value: hubUri(hub) },
        { type: "dns" as const, value: hubHost(hub) },
      ];
      return await signForNewKey({ subject: hub.id, names, usages: ["serverAuth", "clientAuth"], ttlMs });
    },
  };

  async function signForNewKey(leaf: Omit<Leaf, "spki">): Promise<IssuedServerCertificate> {
    const { keys, keyPem: leafKeyPem } = await createKeyPair();
    const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
    return { ...(await sign({ ...leaf, spki })), keyPem: leafKeyPem };
  }

  async function sign(leaf: Leaf): Promise<IssuedCertificate> {
    const serial = createSerial();
    const dates = validity(clock.now(), Math.min(leaf.ttlMs, notAfter - clock.now()));
    const publicKey = await crypto.subtle.importKey("spki", leaf.spki, keyAlgorithm, true, ["verify"]);
    const signed = await x509.X509CertificateGenerator.create({
      subject: [{ CN: [leaf.subject] }],
      issuer: issuer.subjectName,
      serialNumber: serial,
      ...dates,
      publicKey,
      signingKey: privateKey,
      signingAlgorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(
          leaf.usages.map((usage) => x509.ExtendedKeyUsage[usage]),
          false,
        ),
        new x509.SubjectAlternativeNameExtension([...leaf.names], false),
        await x509.SubjectKeyIdentifierExtension.create(publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ],
    });
    return {
      certPem: toPem(signed) + caPem,
      serial,
      notBefore: dates.notBefore.getTime(),
      notAfter: dates.notAfter.getTime(),
      keyThumbprint: keyThumbprint(leaf.spki),
    };
  }
}

interface Leaf {
  readonly spki: Uint8Array<ArrayBuffer>;
  readonly subject: string;
  readonly names: readonly { readonly type: "url" | "dns" | "ip"; readonly value: string }[];
  readonly usages: readonly ("clientAuth" | "serverAuth")[];
  readonly ttlMs: number;
}

function readAuthorityCertificate(certPem: string, keyPem: string): X509Certificate {
  try {
    const certificate = new X509Certificate(certPem);
    if (certificate.ca && certificate.checkPrivateKey(createPrivateKey(keyPem))) return certificate;
  } catch (error) {
    throw x509Errors.PKI_AUTHORITY_BROKEN({
      message: "The CA's certificate or key can't be read.",
      cause: error,
    });
  }
  throw x509Errors.PKI_AUTHORITY_BROKEN({ message: "The CA's certificate and key don't match." });
}

/** Whole seconds, as X.509 has them. */
function validity(nowMs: number, ttlMs: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(Math.floor((nowMs - backdatedMs) / 1000) * 1000),
    notAfter: new Date(Math.floor((nowMs + ttlMs) / 1000) * 1000),
  };
}

/** 127 random bits, positive and without a leading zero byte, so that every reader prints the same hex. */
function createSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString("hex");
}

function toPem(certificate: SignedCertificate): string {
  return `${certificate.toString("pem").trim()}\n`;
}

const dayMs = 24 * 60 * 60_000;
