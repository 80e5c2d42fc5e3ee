// Nobody gets the identity of a hub by way of an agent's, and no hub's is taken for an agent's.
import { X509Certificate } from "node:crypto";
import { createId } from "@fairlead/kernel";
import { createCsr, readHubIdentity } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity, toDer } from "./identity.fixture.ts";

let harness: IdentityHarness;
beforeAll(async () => {
  harness = await startIdentity();
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("an agent", () => {
  it("whose request asks for a hub's names and usages gets its own", async () => {
    const { name, token } = await harness.createCluster();
    const csr = { csrDer: askingForHub, keyPem: "" };
    const { certificateChainPem, cluster } = await harness.enroll({ token, csr });
    const certificate = new X509Certificate(certificateChainPem);
    expect(certificate.subjectAltName).toBe(
      `URI:spiffe://fairlead.test/cluster/${name}/role/proxy, URI:urn:fairlead:epoch:0`,
    );
    expect([cluster, certificate.keyUsage]).toEqual([name, ["1.3.6.1.5.5.7.3.2"]]);
    expect([harness.pki.hubOf(certificate), readHubIdentity(certificate)]).toEqual([undefined, undefined]);
    const peer = await harness.identity.authenticatePeer(certificate.raw);
    const renewed = await harness.identity.renew({ peer, csrDer: askingForHub });
    expect(harness.pki.hubOf(new X509Certificate(renewed.certificateChainPem))).toBeUndefined();
  });

  it.each(["hub", "hub-0123456789abcdefghjkmnpqrs"])("of a cluster that is called %s is no hub", async (name) => {
    await harness.clusters.create({ name, roles: ["proxy"] });
    const { token } = await harness.identity.createJoinToken({ cluster: name });
    const { certificateChainPem } = await harness.enroll({ token, csr: await createCsr() });
    expect(harness.pki.hubOf(new X509Certificate(certificateChainPem))).toBeUndefined();
    const { cluster } = await harness.identity.authenticatePeer(toDer(certificateChainPem));
    expect(cluster).toBe(name);
  });

  it.each(["x/../../hub/hub_0123456789abcdefghjkmnpqrs", "hub_0123456789abcdefghjkmnpqrs", "hub/x", "../hub"])(
    "has no cluster that is called %s",
    async (name) => {
      await expect(harness.clusters.create({ name, roles: ["proxy"] })).rejects.toMatchObject({
        code: "CLUSTER_NAME_INVALID",
      });
    },
  );
});

it("a hub's certificate is no agent's", async () => {
  const { certPem } = await harness.pki.issueHub({ id: createId("hub") });
  await expect(harness.identity.authenticatePeer(toDer(certPem))).rejects.toMatchObject({ code: "IDENTITY_UNKNOWN" });
});

/** Made once with OpenSSL: P-256, correctly signed; asks for a hub's URI and DNS name, serverAuth and clientAuth. */
const askingForHub = new Uint8Array(
  Buffer.from(
    `
  MIIBoDCCAUUCAQAwKTEnMCUGA1UEAwweaHViXzAxMjM0NTY3ODlhYmNkZWZnaGprbW5wcXJzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEK/P+
  66QHSmi1wGSeHVM8sEozZZX/dS6XJXeOvsjiYEBCqaGs+weJHRC8PaA1k/9IPoUqlK5D67AX7vr+aMDLY6CBuTCBtgYJKoZIhvcNAQkOMYGoMIGl
  MAwGA1UdEwEB/wQCMAAwHQYDVR0lBBYwFAYIKwYBBQUHAwEGCCsGAQUFBwMCMHYGA1UdEQRvMG2GOXNwaWZmZTovL2ZhaXJsZWFkLnRlc3QvaHVi
  L2h1Yl8wMTIzNDU2Nzg5YWJjZGVmZ2hqa21ucHFyc4IwaHViLTAxMjM0NTY3ODlhYmNkZWZnaGprbW5wcXJzLmh1Yi5mYWlybGVhZC50ZXN0MAoG
  CCqGSM49BAMCA0kAMEYCIQDJOf4ODfBpyPnxu+A7DYk1aWn/p9tN2do+7yKUnspX+AIhAMcx1s0dtKeEyWvFlQ1cYj759lmAim6/q4PS0EOJg+ls`,
    "base64",
  ),
);
