// The binaries that kubebuilder's envtest publishes, for machines without Go but with the internet. They hold
// three of the tools; the others still have to be on the machine.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { kubernetesVersion, type ToolName } from "./catalog.ts";

const defaultIndex = "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";
const run = promisify(execFile);

interface Index {
  readonly releases: Record<string, Record<string, { readonly hash: string; readonly selfLink: string }>>;
}

export function isPrebuilt(name: ToolName): boolean {
  return ["etcd", "kube-apiserver", "kubectl"].includes(name);
}

/** False when the archive cannot be reached or does not match its published hash. */
export async function fetchPrebuilt(options: {
  destination: string;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}): Promise<boolean> {
  const { destination, onProgress } = options;
  const signal = AbortSignal.any([AbortSignal.timeout(300_000), ...(options.signal ? [options.signal] : [])]);
  const name = basename(destination);
  const folder = await mkdtemp(join(dirname(destination), ".envtest-"));
  try {
    const entry = chooseArchive(
      parse(await download(process.env["FAIRLEAD_ENVTEST_INDEX"] ?? defaultIndex, signal).then(String)),
    );
    if (entry === undefined) return false;
    onProgress(`downloading ${name} from envtest's archive`);
    const archive = await download(entry.selfLink, signal);
    if (createHash("sha512").update(archive).digest("hex") !== entry.hash) return false;
    await writeFile(join(folder, "archive.tar.gz"), archive);
    await run("tar", ["-xzf", "archive.tar.gz", "--strip-components=2"], { cwd: folder });
    await rename(join(folder, name), destination);
    return true;
  } catch {
    options.signal?.throwIfAborted();
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function chooseArchive(index: Index): { hash: string; selfLink: string } | undefined {
  const minor = kubernetesVersion.split(".").slice(0, 2).join(".");
  const version = Object.keys(index.releases)
    .filter((candidate) => candidate.startsWith(`${minor}.`) && !candidate.includes("-"))
    .sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0];
  if (version === undefined) return undefined;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  return index.releases[version]?.[`envtest-${version}-${process.platform}-${arch}.tar.gz`];
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${response.status} from ${url}`);
  return Buffer.from(await response.arrayBuffer());
}
