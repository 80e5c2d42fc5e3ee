import { X509Certificate } from "node:crypto";
import { createMovableClock } from "@fairlead/kernel/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roles as allRoles } from "../roles.ts";
import { hostileCsrs } from "./hostile-csrs.fixture.ts";
import {
  type AgentCertificateRequest,
  createAuthority,
  createCsr,
  describeCertificate,
  loadAuthority,
  readCsr,
} from "./index.ts";
import { x509 } from "./provider.ts";

const now = Date.UTC(2030, 0, 1, 12);
const clock = createMovableClock(now);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const authority = await createAuthority({ commonName: "test CA", days: 30, clock });

function issue(request: Partial<AgentCertificateRequest> & { csrDer: Uint8Array }) {
  return authority.issueAgentCertificate({
    trustDomain: "fairlead.test",
    cluster: "east",
    roles: ["proxy"],
    ttlMs: dayMs,
    ...request,
  });
}

describe("an agent's certificate", () => {
  it("names the cluster once per role, in URIs, and nothing else", async () => {
    const { certPem } = await issue({ csrDer: (await createCsr()).csrDer, roles: ["observe", "proxy"] });
    const certificate = new X509Certificate(certPem);
    expect(certificate.subjectAltName).toBe(
      "URI:spiffe://fairlead.test/cluster/east/role/observe, URI:spiffe://fairlead.test/cluster/east/role/proxy",
    );
    expect(certificate.subject).toBe("CN=east");
    expect(describeCertificate(certPem).identities).toEqual([
      { trustDomain: "fairlead.test", cluster: "east", role: "observe" },
      { trustDomain: "fairlead.test", cluster: "east", role: "proxy" },
    ]);
  });

  it("is for TLS clients only and signs no others", async () => {
    const certificate = new X509Certificate((await issue({ csrDer: (await createCsr()).csrDer })).certPem);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.verify(new X509Certificate(authority.caPem).publicKey)).toBe(true);
  });

  it("begins five minutes early and ends when its life is over", async () => {
    const issued = await issue({ csrDer: (await createCsr()).csrDer, ttlMs: 60 * minuteMs });
    expect(describeCertificate(issued.certPem)).toMatchObject({
      notBefore: now - 5 * minuteMs,
      notAfter: now + 60 * minuteMs,
      serial: issued.serial,
      keyThumbprint: issued.keyThumbprint,
    });
  });

  it("never outlives its authority", async () => {
    const issued = await issue({ csrDer: (await createCsr()).csrDer, ttlMs: 365 * dayMs });
    expect(issued.notAfter).toBe(authority.notAfter);
  });

  it("takes the public key from a request that asks for foreign names, CA:TRUE and serverAuth, and nothing else", async () => {
    const { certPem } = await issue({ csrDer: hostileCsrs.foreignNames });
    const certificate = new X509Certificate(certPem);
    expect(certificate.subject).toBe("CN=east");
    expect(certificate.subjectAltName).toBe("URI:spiffe://fairlead.test/cluster/east/role/proxy");
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it("copies nothing but the key, whatever names and extensions a request carries", async () => {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    const text = fc.stringMatching(/^[A-Za-z0-9 .:/*-]{6,40}$/);
    const plain = await shapeOf((await createCsr()).csrDer);
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), fc.boolean(), async (name, altNames, ca) => {
        const csr = await x509.Pkcs10CertificateRequestGenerator.create({
          name: [{ CN: [name] }, { O: [name] }],
          keys,
          signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
          extensions: [
            new x509.BasicConstraintsExtension(ca, 5, true),
            new x509.SubjectAlternativeNameExtension(altNames.map((value) => ({ type: "url", value }))),
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth], true),
          ],
        });
        expect(await shapeOf(new Uint8Array(csr.rawData))).toEqual(plain);
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.keys(hostileCsrs).filter((name) => name !== "foreignNames"))("isn't issued for %s", async (name) => {
    const csrDer = hostileCsrs[name as keyof typeof hostileCsrs];
    await expect(issue({ csrDer, roles: [...allRoles] })).rejects.toMatchObject({
      code: expect.stringMatching(/^ENROLL_CSR_/),
    });
  });
});

describe("a server's certificate", () => {
  it("is for its names and for TLS servers only", async () => {
    const issued = await authority.issueServerCertificate({ names: ["hub.test", "10.1.2.3", "::1"], ttlMs: dayMs });
    const certificate = new X509Certificate(issued.certPem);
    expect(certificate.checkHost("hub.test")).toBe("hub.test");
    expect(certificate.checkIP("10.1.2.3")).toBe("10.1.2.3");
    expect(certificate.checkHost("other.test")).toBeUndefined();
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(describeCertificate(issued.certPem).identities).toEqual([]);
  });
});

describe("an authority", () => {
  it("is a CA that signs certificates and no further authorities", () => {
    const certificate = new x509.X509Certificate(authority.caPem);
    expect(certificate.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: true, pathLength: 0 });
    expect(new X509Certificate(authority.caPem).ca).toBe(true);
  });

  it("is the same one when it is loaded again", async () => {
    const again = await loadAuthority({ certPem: authority.caPem, keyPem: authority.keyPem, clock });
    expect(again.fingerprint).toBe(authority.fingerprint);
    expect(describeCertificate(again.caPem).fingerprint).toBe(authority.fingerprint);
  });

  it("isn't loaded with another one's key", async () => {
    const other = await createAuthority({ commonName: "other CA", days: 1, clock });
    await expect(loadAuthority({ certPem: authority.caPem, keyPem: other.keyPem })).rejects.toMatchObject({
      code: "PKI_AUTHORITY_BROKEN",
    });
  });

  it("isn't loaded from a certificate that is no CA's", async () => {
    const server = await authority.issueServerCertificate({ names: ["hub.test"], ttlMs: dayMs });
    await expect(loadAuthority(server)).rejects.toMatchObject({ code: "PKI_AUTHORITY_BROKEN" });
  });
});

/** All of a certificate that a request could have influenced, apart from the key and what follows from it. */
async function shapeOf(csrDer: Uint8Array): Promise<unknown> {
  const { certPem, keyThumbprint } = await issue({ csrDer });
  expect(keyThumbprint).toBe((await readCsr(csrDer)).keyThumbprint);
  const certificate = new x509.X509Certificate(certPem);
  const extensions = certificate.extensions
    .filter(({ type }) => type !== subjectKeyIdentifier)
    .map(({ type, critical, value }) => [type, critical, Buffer.from(value).toString("hex")]);
  return { subject: certificate.subject, issuer: certificate.issuer, extensions };
}

const subjectKeyIdentifier = "2.5.29.14";
