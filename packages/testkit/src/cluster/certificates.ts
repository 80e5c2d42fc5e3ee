// Certificates for test clusters. node:crypto checks but cannot issue, hence @peculiar/x509, here alone.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface KeyPairPem {
  readonly keyPem: string;
  readonly certPem: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usage: "server" | "client";
  readonly ipAddresses?: readonly string[];
  readonly dnsNames?: readonly string[];
  /** A year from now unless told. */
  readonly notAfter?: Date;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const lifetimeMs = 365 * 24 * 3600_000;
/** Tests move clocks about. */
const backdateMs = 24 * 3600_000;

cryptoProvider.set(webcrypto as Parameters<typeof cryptoProvider.set>[0] & object);

export async function createAuthority(commonName: string): Promise<KeyPairPem> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { keyPem: await privateKeyPem(keys), certPem: certificate.toString("pem") };
}

export async function issueCertificate(authority: KeyPairPem, request: CertificateRequest): Promise<KeyPairPem> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: [...(request.organizations ?? []).map((name) => ({ O: [name] })), { CN: [request.commonName] }],
    issuer: new X509Certificate(authority.certPem).subjectName,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.keyPem),
    signingAlgorithm: algorithm,
    ...validity(request.notAfter),
    extensions: extensionsFor(request),
  });
  return { keyPem: await privateKeyPem(keys), certPem: certificate.toString("pem") };
}

/** A bare key pair, for signatures without a certificate. */
export async function createSigningKey(): Promise<{ privatePem: string; publicPem: string }> {
  const keys = await generateKeys();
  const publicPem = PemConverter.encode(await webcrypto.subtle.exportKey("spki", keys.publicKey), "PUBLIC KEY");
  return { privatePem: await privateKeyPem(keys), publicPem };
}

function extensionsFor(request: CertificateRequest): Extension[] {
  const names = [
    ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
    ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
  ];
  const usage = request.usage === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
  ];
}

function validity(notAfter = new Date(Date.now() + lifetimeMs)): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - backdateMs), notAfter };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privateKeyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, false, ["sign"]);
}
