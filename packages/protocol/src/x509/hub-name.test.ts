import { X509Certificate } from "node:crypto";
import { createId } from "@fairlead/kernel";
import { describe, expect, it } from "vitest";
import { createAuthority, createCsr, describeCertificate, hubHost, hubUri, readHubIdentity } from "./index.ts";
import { x509 } from "./provider.ts";

const trustDomain = "fairlead.test";
const authority = await createAuthority({ commonName: "test CA", days: 30 });
const id = createId("hub");
const uri = hubUri({ trustDomain, id });
const host = hubHost({ trustDomain, id });
const ttlMs = 24 * 60 * 60_000;

async function issueHub(): Promise<X509Certificate> {
  return new X509Certificate((await authority.issueHubCertificate({ trustDomain, id, ttlMs })).certPem);
}

describe("a hub's certificate", () => {
  it("names the hub in a URI and a DNS name, and is for both sides of TLS", async () => {
    const certificate = await issueHub();
    expect(certificate.subjectAltName).toBe(`URI:spiffe://fairlead.test/hub/${id}, DNS:${host}`);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect(certificate.checkHost(host)).toBe(host);
    expect([certificate.ca, readHubIdentity(certificate)]).toEqual([false, id]);
  });

  it("has a DNS name of DNS labels, another one for each id", () => {
    const hosts = Array.from({ length: 200 }, () => hubHost({ trustDomain, id: createId("hub") }));
    expect(new Set(hosts).size).toBe(200);
    for (const each of hosts) expect(each).toMatch(/^hub-[0-9a-z]{26}\.hub\.fairlead\.test$/);
  });

  it("is no agent's identity", async () => {
    expect(describeCertificate(await issueHub()).identities).toEqual([]);
  });

  it.each([
    "",
    "east",
    id.toUpperCase(),
    `${id}x`,
    `${id}/role/proxy`,
    `x/../hub/${id}`,
    id.replace("_", "-"),
    "hub_llllllllllllllllllllllllll",
  ])("isn't issued for the id %j", async (wrong) => {
    await expect(authority.issueHubCertificate({ trustDomain, id: wrong, ttlMs })).rejects.toMatchObject({
      code: "PKI_NAME_INVALID",
    });
  });

  it("isn't issued where its DNS name would be longer than DNS allows", async () => {
    const label = "x".repeat(62);
    const [long, longest] = [label.slice(0, 29), label.slice(0, 30)].map((last) =>
      [label, label, label, last].join("."),
    );
    await authority.issueHubCertificate({ trustDomain: long ?? "", id, ttlMs });
    await expect(authority.issueHubCertificate({ trustDomain: longest ?? "", id, ttlMs })).rejects.toMatchObject({
      code: "PKI_NAME_INVALID",
    });
  });
});

describe("a certificate that isn't a hub's", () => {
  it.each([
    ["an agent's", async () => issueAgent("east")],
    ["an agent's of a cluster that is called like a hub", async () => issueAgent(id.replace("_", "-"))],
    ["an agent's of a cluster that is called hub", async () => issueAgent("hub")],
    ["a listener's", async () => issueServer([])],
    ["a listener's that has a hub's host", async () => issueServer([host])],
    ["one for clients alone", () => issueOther({ usages: ["clientAuth"] })],
    ["one for servers alone", () => issueOther({ usages: ["serverAuth"] })],
    ["one without the host", () => issueOther({ names: [{ type: "url", value: uri }] })],
    ["one with another hub's host", () => issueOther({ names: [url(uri), dns(hubHost({ trustDomain, id: other }))] })],
    ["one with an agent's name beside it", () => issueOther({ names: [url(uri), dns(host), url(agentUri)] })],
    [
      "one with two hubs' names",
      () => issueOther({ names: [url(uri), dns(host), url(hubUri({ trustDomain, id: other }))] }),
    ],
    ["one whose name goes on", () => issueOther({ names: [url(`${uri}, DNS:${host}`)] })],
    ["one whose URI is written in another case", () => issueOther({ names: [url(uri.toUpperCase()), dns(host)] })],
    ["the authority's", async () => authority.caPem],
  ])("%s is nobody's among hubs", async (_what, issue) => {
    expect(readHubIdentity(new X509Certificate(await issue()))).toBeUndefined();
  });

  it("is an agent's whose request asked for a hub's name", async () => {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    const csr = await x509.Pkcs10CertificateRequestGenerator.create({
      name: [{ CN: [id] }],
      keys,
      signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
      extensions: [
        new x509.SubjectAlternativeNameExtension([url(uri), dns(host)]),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      ],
    });
    const certificate = new X509Certificate(await issueAgent("east", new Uint8Array(csr.rawData)));
    expect(readHubIdentity(certificate)).toBeUndefined();
    expect(certificate.subjectAltName).toBe("URI:spiffe://fairlead.test/cluster/east/role/proxy");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it.each([
    `x/../../hub/${id}`,
    `../hub/${id}`,
    `${id}/role/proxy, URI:${uri}`,
    `east, URI:${uri}`,
    "east/role/proxy",
    `East`,
  ])("isn't issued for a cluster named %j", async (cluster) => {
    await expect(issueAgent(cluster)).rejects.toMatchObject({ code: "PKI_NAME_INVALID" });
  });
});

async function issueAgent(cluster: string, request?: Uint8Array): Promise<string> {
  const csrDer = request ?? (await createCsr()).csrDer;
  return (await authority.issueAgentCertificate({ csrDer, trustDomain, cluster, roles: ["proxy"], ttlMs })).certPem;
}

async function issueServer(names: readonly string[]): Promise<string> {
  return (await authority.issueServerCertificate({ names, ttlMs })).certPem;
}

/** As this project's authority never writes it. */
async function issueOther({
  usages = ["serverAuth", "clientAuth"],
  names = [url(uri), dns(host)],
}: Other): Promise<string> {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ["other"] }],
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [
      new x509.ExtendedKeyUsageExtension(usages.map((usage) => x509.ExtendedKeyUsage[usage])),
      new x509.SubjectAlternativeNameExtension(names),
    ],
  });
  return certificate.toString("pem");
}

interface Other {
  readonly usages?: readonly ("serverAuth" | "clientAuth")[];
  readonly names?: Name[];
}

interface Name {
  readonly type: "url" | "dns";
  readonly value: string;
}

function url(value: string): Name {
  return { type: "url", value };
}

function dns(value: string): Name {
  return { type: "dns", value };
}

const other = createId("hub");
const agentUri = "spiffe://fairlead.test/cluster/east/role/proxy";
