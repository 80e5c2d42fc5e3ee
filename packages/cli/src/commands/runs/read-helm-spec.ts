// The file that says what is to become of a release. Its chart may lie in a folder beside it, which is sent along.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { commandLimits, type HelmSpec } from "@fairlead/contract/client";
import { usage } from "../../errors.ts";
import type { Terminal } from "../../terminal.ts";
import { readMap } from "../read-map.ts";

/** The hub checks all but what is read here. */
export async function readHelmSpec(terminal: Pick<Terminal, "stdin">, file: string): Promise<HelmSpec> {
  const spec = await readMap(terminal, file, { what: "a release", example });
  const { chart } = spec;
  if (typeof chart !== "object" || chart === null || !("folder" in chart)) return spec as unknown as HelmSpec;
  const { folder, ...others } = chart;
  if (typeof folder !== "string" || Object.keys(others).length > 0)
    throw usage(`'chart' in ${file} has both a folder and another source.`, example);
  const files = await readFolder(resolve(file === "-" ? "." : dirname(file), folder));
  return { ...spec, chart: { files } } as unknown as HelmSpec;
}

async function readFolder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw usage(`The folder ${folder} doesn't exist.`, example);
  });
  const files: Record<string, string> = {};
  let sizeBytes = 0;
  for (const entry of entries) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
    // Repositories and editors keep theirs in such folders.
    if (
      !entry.isFile() ||
      path
        .split("/")
        .slice(0, -1)
        .some((part) => part.startsWith("."))
    )
      continue;
    const bytes = await readFile(join(folder, path));
    sizeBytes += bytes.length;
    if (sizeBytes > commandLimits.specBytes)
      throw usage(`The chart in ${folder} is too large to send.`, "Publish it in a repository or a registry.");
    const text = bytes.toString("utf8");
    if (!Buffer.from(text).equals(bytes))
      throw usage(`${join(folder, path)} isn't text.`, "Unpack charts in charts/, or publish the chart.");
    files[path] = text;
  }
  return files;
}

const example = "It is written like: {release: web, namespace: shop, chart: {folder: ./chart}, values: {replicas: 2}}";
