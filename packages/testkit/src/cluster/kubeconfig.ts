import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";

export type Credentials = { readonly token: string } | { readonly keyPem: string; readonly certPem: string };

export interface KubeconfigOptions {
  readonly clusterName: string;
  readonly url: string;
  readonly caPem: string;
  readonly credentials: Credentials;
  readonly namespace?: string | undefined;
}

export function renderKubeconfig(options: KubeconfigOptions): string {
  const { clusterName, url, caPem, credentials, namespace } = options;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: clusterName, cluster: { server: url, "certificate-authority-data": base64(caPem) } }],
    users: [{ name: clusterName, user: userOf(credentials) }],
    contexts: [
      { name: clusterName, context: { cluster: clusterName, user: clusterName, ...(namespace && { namespace }) } },
    ],
    "current-context": clusterName,
  });
}

/** Writes it under a name of its own and gives the path. */
export async function writeKubeconfig(folder: string, label: string, options: KubeconfigOptions): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const safeLabel = label.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, 60);
  const path = join(folder, `${safeLabel}-${randomBytes(4).toString("hex")}.kubeconfig`);
  await writeFile(path, renderKubeconfig(options), { mode: 0o600 });
  return path;
}

function userOf(credentials: Credentials): Record<string, string> {
  if ("token" in credentials) return { token: credentials.token };
  return {
    "client-certificate-data": base64(credentials.certPem),
    "client-key-data": base64(credentials.keyPem),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
