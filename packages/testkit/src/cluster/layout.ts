// The layout of a cluster's folder, by which others find it: cluster.json lies beside all that it names.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { isAlive, type ProcessIdentity, thisProcess } from "../locks/index.ts";

/** Another process needs this to use a running cluster. Written to cluster.json once the cluster is ready. */
export interface ClusterRecord {
  readonly name: string;
  readonly url: string;
  readonly etcdUrl: string;
  readonly stateDir: string;
  readonly adminToken: string;
  readonly kubectl: string;
}

export interface ClusterPorts {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly podServer: number;
}

export const pkiFolder = (stateDir: string): string => join(stateDir, "pki");
export const podsFolder = (stateDir: string): string => join(stateDir, "pods");
export const logFile = (stateDir: string, component: string): string => join(stateDir, "log", `${component}.log`);
export const kubeconfigFile = (stateDir: string, user: string): string => join(stateDir, `${user}.kubeconfig`);
/** Short: a unix socket's path may have 107 bytes. */
export const egressSocket = (stateDir: string): string => join(stateDir, "egress.sock");

/** A new folder for one cluster, after removing those whose owner died without cleaning up. */
export async function createStateDir(clusterName: string): Promise<string> {
  const root = process.env["FAIRLEAD_CLUSTERS_DIR"] ?? join(tmpdir(), `fairlead-clusters-${userInfo().uid}`);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeAbandoned(root);
  const suffix = `${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const stateDir = join(root, `${clusterName.slice(0, 16)}-${suffix}`);
  await mkdir(stateDir, { mode: 0o700 });
  await writeFile(join(stateDir, "owner.json"), JSON.stringify(thisProcess));
  await Promise.all(["log", "pods", "kubeconfigs"].map((name) => mkdir(join(stateDir, name), { mode: 0o700 })));
  return stateDir;
}

export async function writeRecord(record: ClusterRecord): Promise<void> {
  await writeFile(join(record.stateDir, "cluster.json"), JSON.stringify(record, undefined, 2), { mode: 0o600 });
}

export async function readRecord(stateDir: string): Promise<ClusterRecord> {
  return JSON.parse(await readFile(join(stateDir, "cluster.json"), "utf8")) as ClusterRecord;
}

async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const owner = await readOwner(join(root, name));
    // A folder without an owner may be in the making.
    if (owner !== undefined && !isAlive(owner)) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function readOwner(stateDir: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(join(stateDir, "owner.json"), "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
