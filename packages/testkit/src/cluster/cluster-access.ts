// A test's ways to use a running cluster, whoever started it.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { collectRarely } from "../collect-rarely.ts";
import { compileCache } from "../compile-cache.ts";
import { kubernetesVersion } from "../tools/index.ts";
import { type ApiClient, createApiClient } from "./api-request.ts";
import { issueCertificate } from "./certificates.ts";
import { type Credentials, writeKubeconfig } from "./kubeconfig.ts";
import { type ClusterRecord, kubeconfigFile, pkiFolder, podsFolder, readRecord } from "./layout.ts";
import { readPair } from "./pki.ts";
import { type PutOptions, putObjects, type StoredObject } from "./put-objects.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";

interface KubeconfigTarget {
  /** Another address for the same API server, such as a cable's or a hub's. */
  readonly url?: string;
  /** The CA of that address, if it is not the API server's own. */
  readonly caPem?: string;
  readonly namespace?: string;
}

export interface ClusterAccess {
  readonly name: string;
  readonly url: string;
  readonly caPem: string;
  readonly kubernetesVersion: string;
  readonly stateDir: string;
  /** Path of a kubeconfig with a client certificate in system:masters. */
  readonly adminKubeconfig: string;
  /** A bearer token in system:masters. */
  readonly adminToken: string;
  /** Requests as admin, without kubectl's start-up time. */
  readonly api: ApiClient;
  /**
   * Makes or replaces objects behind the API server's back, where they are a fraction of the work. They must be valid,
   * and need no defaults. `resource` is a plural, such as `events`, behind `GROUP/` unless the group is the core's.
   */
  putObjects(resource: string, objects: readonly StoredObject[], options?: PutOptions): Promise<void>;
  readonly kubectlPath: string;
  /** kubectl as admin unless `kubeconfig` names another. Throws TESTKIT_COMMAND_FAILED unless `allowFailure`. */
  kubectl(args: readonly string[], options?: CommandOptions & { kubeconfig?: string }): Promise<CommandResult>;
  /** The environment that keeps kubectl and its cache inside the state folder, for tests that spawn it themselves. */
  kubectlEnv(kubeconfig?: string): Record<string, string>;
  /** Path of a kubeconfig whose client certificate says this user and these groups. */
  kubeconfigForUser(options: KubeconfigTarget & { user: string; groups?: readonly string[] }): Promise<string>;
  /** Path of a kubeconfig with a token of that ServiceAccount, which must exist. */
  kubeconfigForServiceAccount(options: KubeconfigTarget & ServiceAccountRef): Promise<string>;
  serviceAccountToken(options: ServiceAccountRef): Promise<string>;
  /** Adds a line to what `kubectl logs` shows for a container. */
  writeLog(options: { namespace: string; pod: string; container: string; text: string }): Promise<void>;
  /** The folder in which commands run that are executed in this pod. */
  podFiles(options: { namespace: string; pod: string }): string;
}

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  readonly lifetimeSeconds?: number;
  readonly audiences?: readonly string[];
}

/** Opens a cluster that another process started, by its state folder. */
export async function openCluster(stateDir: string): Promise<ClusterAccess> {
  return accessCluster(await readRecord(stateDir));
}

export async function accessCluster(record: ClusterRecord): Promise<ClusterAccess> {
  const { name, url, etcdUrl, stateDir, adminToken } = record;
  const caPem = await readFile(join(pkiFolder(stateDir), "ca.crt"), "utf8");
  const api = createApiClient({ url, caPem, token: adminToken });
  const adminKubeconfig = kubeconfigFile(stateDir, "admin");

  const save = (label: string, credentials: Credentials, target: KubeconfigTarget) =>
    writeKubeconfig(join(stateDir, "kubeconfigs"), label, {
      clusterName: name,
      url: target.url ?? url,
      caPem: target.caPem ?? caPem,
      credentials,
      namespace: target.namespace,
    });

  const kubectlEnv = (kubeconfig: string = adminKubeconfig) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: stateDir,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(stateDir, "kubectl-cache"),
    ...compileCache(),
    ...collectRarely(),
  });

  const serviceAccountToken = async (account: ServiceAccountRef) => {
    const { status } = await api.json<{ status: { token: string } }>({
      method: "POST",
      path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {
          expirationSeconds: account.lifetimeSeconds ?? 24 * 3600,
          ...(account.audiences && { audiences: account.audiences }),
        },
      },
    });
    return status.token;
  };

  return {
    name,
    url,
    caPem,
    kubernetesVersion,
    stateDir,
    adminKubeconfig,
    adminToken,
    api,
    putObjects: (...given) => putObjects(etcdUrl, ...given),
    kubectlPath: record.kubectl,
    kubectlEnv,
    kubectl: (args, { kubeconfig, env, ...options } = {}) =>
      runCommand(record.kubectl, args, { ...options, env: { ...kubectlEnv(kubeconfig), ...env } }),
    async kubeconfigForUser({ user, groups = [], ...target }) {
      const authority = await readPair(pkiFolder(stateDir), "ca");
      const pair = await issueCertificate(authority, { commonName: user, organizations: groups, usage: "client" });
      return save(user, pair, target);
    },
    async kubeconfigForServiceAccount(options) {
      const token = await serviceAccountToken(options);
      return save(`${options.namespace}-${options.name}`, { token }, options);
    },
    serviceAccountToken,
    async writeLog({ namespace, pod, container, text }) {
      const path = join(podsFolder(stateDir), namespace, pod, `${container}.log`);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, text);
    },
    podFiles: ({ namespace, pod }) => join(podsFolder(stateDir), namespace, pod, "files"),
  };
}
