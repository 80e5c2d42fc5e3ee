import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CertificateRequest, createAuthority, createSigningKey, issueCertificate } from "./certificates.ts";

/** The name by which the pod server knows the API server. */
export const kubeletClientName = "kube-apiserver-kubelet-client";

const masters = ["system:masters"];
const loopback = { ipAddresses: ["127.0.0.1"], dnsNames: ["localhost"] };

const issued: Readonly<Record<string, CertificateRequest>> = {
  apiserver: {
    commonName: "kube-apiserver",
    usage: "server",
    ipAddresses: ["127.0.0.1", "10.0.0.1"],
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
  },
  kubelet: { commonName: "podserver", usage: "server", ...loopback },
  "apiserver-kubelet": { commonName: kubeletClientName, organizations: masters, usage: "client" },
  admin: { commonName: "admin", organizations: masters, usage: "client" },
  kwok: { commonName: "kwok", organizations: masters, usage: "client" },
  "kube-controller-manager": { commonName: "system:kube-controller-manager", usage: "client" },
  "kube-scheduler": { commonName: "system:kube-scheduler", usage: "client" },
};

/** Writes a cluster's whole PKI into a folder: NAME.key and NAME.crt each, two authorities (ca, front-proxy-ca). */
export async function writePki(folder: string, clusterName: string): Promise<{ adminToken: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const save = (name: string, content: string) => writeFile(join(folder, name), content, { mode: 0o600 });
  const savePair = async (name: string, pair: { keyPem: string; certPem: string }) => {
    await save(`${name}.key`, pair.keyPem);
    await save(`${name}.crt`, pair.certPem);
  };
  const [ca, frontProxyCa, signing] = await Promise.all([
    createAuthority(`${clusterName}-ca`),
    createAuthority(`${clusterName}-front-proxy-ca`),
    createSigningKey(),
  ]);
  const adminToken = randomBytes(32).toString("base64url");
  await Promise.all([
    savePair("ca", ca),
    savePair("front-proxy-ca", frontProxyCa),
    issueCertificate(frontProxyCa, { commonName: "front-proxy-client", usage: "client" }).then((pair) =>
      savePair("front-proxy", pair),
    ),
    ...Object.entries(issued).map(async ([name, request]) => savePair(name, await issueCertificate(ca, request))),
    save("service-account.key", signing.privatePem),
    save("service-account.pub", signing.publicPem),
    save("tokens.csv", `${adminToken},token-admin,token-admin,"system:masters"\n`),
  ]);
  return { adminToken };
}

export async function readPair(folder: string, name: string): Promise<{ keyPem: string; certPem: string }> {
  const [keyPem, certPem] = await Promise.all([
    readFile(join(folder, `${name}.key`), "utf8"),
    readFile(join(folder, `${name}.crt`), "utf8"),
  ]);
  return { keyPem, certPem };
}
