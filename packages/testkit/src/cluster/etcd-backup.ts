// Backups of a cluster's etcd, as administrators make and restore them.
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureTools } from "../tools/index.ts";
import { askEtcd } from "./etcd-api.ts";
import { readRecord } from "./layout.ts";
import type { TestCluster } from "./start-cluster.ts";

/** Writes a snapshot of a running etcd into a file. */
export async function backUpEtcd({ stateDir }: TestCluster, file: string): Promise<void> {
  const { etcdUrl } = await readRecord(stateDir);
  const lines = (await askEtcd(etcdUrl, "maintenance/snapshot")).split("\n").filter((line) => line !== "");
  const parts = lines.map((line) => (JSON.parse(line) as { result: { blob: string } }).result.blob);
  await writeFile(file, Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))));
}

/** Restores a snapshot by `etcdutl`. Only etcd and the API server are stopped for it; everything else runs on. */
export async function restoreEtcd(cluster: TestCluster, file: string): Promise<void> {
  const { apiServer, stateDir } = cluster;
  const { etcd } = cluster.components;
  const { etcdUrl } = await readRecord(stateDir);
  const { etcdutl } = await ensureTools(["etcdutl"]);
  const { members } = JSON.parse(await askEtcd(etcdUrl, "cluster/member/list")) as { members: readonly Member[] };
  const [{ name, peerURLs: [peer = ""] = [] } = { name: "" }] = members;
  const folder = join(stateDir, "etcd");
  // The API server first: one that loses its etcd hangs.
  await apiServer.stop();
  await etcd.stop();
  await rm(folder, { recursive: true });
  const member = [`--name=${name}`, `--initial-cluster=${name}=${peer}`, `--initial-advertise-peer-urls=${peer}`];
  await run(etcdutl, ["snapshot", "restore", file, `--data-dir=${folder}`, ...member]);
  await etcd.start();
  await apiServer.start();
}

interface Member {
  readonly name: string;
  readonly peerURLs?: readonly string[];
}

const run = promisify(execFile);
