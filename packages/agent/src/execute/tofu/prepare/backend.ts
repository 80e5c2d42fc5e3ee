// The state is in the cluster, whatever the configuration says: an override file, read last, says so. The backend that
// was really taken is checked once OpenTofu has read it all.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readRunFile, sharedFileMode } from "../../../processes/index.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuSpec } from "../types.ts";
import { describePlace, type Inspection } from "./inspect-source.ts";

/** Throws TOFU_BACKEND_FOREIGN. */
export async function writeBackend(
  folder: string,
  spec: TofuSpec,
  /** Undefined without a fence: then files are searched for a block, which finds what people write. */
  inspection: Inspection | undefined,
): Promise<void> {
  if (!spec.replaceBackend) await (inspection === undefined ? refuseOther(folder) : refuseDeclared(inspection));
  // Where the API server is isn't in here, and so not in plans: another run has another door.
  const kubernetes = { secret_suffix: spec.name, namespace: spec.namespace };
  const override = { terraform: [{ backend: [{ kubernetes }] }] };
  // It may be a link in a tree of others.
  await rm(join(folder, overrideName), { recursive: true, force: true });
  await writeFile(join(folder, overrideName), JSON.stringify(override), { mode: sharedFileMode });
}

function refuseDeclared({ backends: [backend], cloud: isCloud }: Inspection): void {
  if (isCloud) throw tofuErrors.TOFU_BACKEND_FOREIGN({ file: "the configuration", backend: "cloud" });
  if (backend) throw tofuErrors.TOFU_BACKEND_FOREIGN({ file: describePlace(backend), backend: backend.type });
}

/** Checks the backend that OpenTofu noted when it prepared itself. Throws TOFU_BACKEND_FOREIGN. */
export async function checkBackend(dataFolder: string, { name, namespace }: TofuSpec): Promise<void> {
  const file = join(dataFolder, "terraform.tfstate");
  const { backend } = JSON.parse(String(await readRunFile(file, { folder: dataFolder }))) as { backend?: Backend };
  const { type, config = {} } = backend ?? {};
  const isOurs =
    type === "kubernetes" && config["secret_suffix"] === name && config["namespace"] === namespace && isPlain(config);
  if (!isOurs) throw tofuErrors.TOFU_BACKEND_FOREIGN({ file: "the configuration", backend: type ?? "none" });
}

interface Backend {
  readonly type?: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

function isPlain(config: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(config).every(
    ([name, value]) => name === "secret_suffix" || name === "namespace" || isNothing(value),
  );
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

async function refuseOther(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const isJson = /\.(?:tf|tofu)\.json$/.test(file);
    if (!isJson && !/\.(?:tf|tofu)$/.test(file)) continue;
    const text = await readFile(join(folder, file), "utf8");
    const backend = isJson ? findInJson(text) : findDeclaredBackend(text);
    if (backend !== undefined) throw tofuErrors.TOFU_BACKEND_FOREIGN({ file, backend });
  }
}

/** In HCL: `backend "TYPE" {` or `cloud {` at the beginning of a line, outside of comments and heredocs. */
export function findDeclaredBackend(text: string): string | undefined {
  const code = text
    .replace(/<<-?([\w-]+)\r?\n[\s\S]*?^\s*\1\s*$/gm, '""')
    .replace(/"(?:\\.|[^"\\\n])*"|#.*|\/\/.*|\/\*[\s\S]*?\*\//g, (match) => (match.startsWith('"') ? match : " "));
  if (!/\bterraform\s*\{/.test(code)) return undefined;
  const backend = /(?:^|[{}\n])\s*backend\s+"?([\w-]+)"?\s*\{/.exec(code)?.[1];
  return backend ?? (/(?:^|[{}\n])\s*cloud\s*\{/.test(code) ? "cloud" : undefined);
}

/** Text that isn't JSON is left to OpenTofu, which refuses it. */
function findInJson(text: string): string | undefined {
  try {
    const blocks = [(JSON.parse(text) as { terraform?: unknown }).terraform].flat() as unknown[];
    for (const block of blocks) {
      const { backend, cloud } = (block ?? {}) as { backend?: unknown; cloud?: unknown };
      if (cloud !== undefined) return "cloud";
      if (backend !== undefined) return Object.keys([backend].flat()[0] as object)[0] ?? "unknown";
    }
  } catch {
    // Said by OpenTofu, with the line.
  }
  return undefined;
}

/** Read after all others of its folder. */
const overrideName = "~fairlead_override.tf.json";
