import { writeFile } from "node:fs/promises";
import { programArgs, type TestHub } from "@fairlead/testkit";

/**
 * What `fairlead kubeconfig` writes: one context with the cluster's name. Every fleet needs one, and the CLI takes longer to
 * start than to write it.
 */
export async function writeKubeconfig(
  file: string,
  options: {
    readonly hub: TestHub;
    readonly cluster: string;
    /** `cli` has kubectl start the CLI for each command, as people's kubeconfigs do. */
    readonly credentials: "cli" | { readonly token: string };
  },
): Promise<void> {
  const { hub, cluster, credentials } = options;
  const extensions = [{ name: "fairlead.dev/managed", extension: { hub: hub.url, cluster } }];
  const user = credentials === "cli" ? { exec: askCli(hub) } : credentials;
  const server = `${hub.url}/k8s/clusters/${cluster}`;
  const authority = Buffer.from(hub.caPem).toString("base64");
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": authority, extensions } }],
    users: [{ name: cluster, user: { ...user, extensions } }],
    contexts: [{ name: cluster, context: { cluster, user: cluster, extensions } }],
    "current-context": cluster,
  };
  await writeFile(file, JSON.stringify(kubeconfig), { mode: 0o600 });
}

function askCli(hub: TestHub): object {
  return {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: [...programArgs("cli"), "credential", "--context", new URL(hub.url).host, "--hub", hub.url],
    env: [{ name: "FAIRLEAD_CONFIG", value: hub.cliConfig }],
    interactiveMode: "IfAvailable",
    provideClusterInfo: false,
  };
}
