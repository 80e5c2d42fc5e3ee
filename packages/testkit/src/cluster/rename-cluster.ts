import { writeFile } from "node:fs/promises";
import { renderKubeconfig } from "./kubeconfig.ts";
import { kubeconfigFile, pkiFolder, readRecord, writeRecord } from "./layout.ts";
import { readPair } from "./pki.ts";

/** Gives a running cluster the name by which those who open it from now on know it. */
export async function renameCluster(stateDir: string, name: string): Promise<void> {
  const record = await readRecord(stateDir);
  const { certPem: caPem } = await readPair(pkiFolder(stateDir), "ca");
  const credentials = await readPair(pkiFolder(stateDir), "admin");
  const content = renderKubeconfig({ clusterName: name, url: record.url, caPem, credentials });
  await writeFile(kubeconfigFile(stateDir, "admin"), content, { mode: 0o600 });
  await writeRecord({ ...record, name });
}
