// The file that says what to apply. Its manifests stand in it, or in files that it names beside it.
import { dirname, resolve } from "node:path";
import type { ManifestsSpec } from "@fairlead/contract";
import { usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import type { Terminal } from "../../terminal.ts";
import { readMap } from "../read-map.ts";

/** The hub checks all but what is read here. */
export async function readSpec(terminal: Pick<Terminal, "stdin">, file: string): Promise<ManifestsSpec> {
  return await takeFilesIn(await readMap(terminal, file, { what: "a set", example }), file);
}

/** Replaces a set's `files` by their text. */
export async function takeFilesIn(
  { files, ...spec }: Readonly<Record<string, unknown>>,
  file: string,
): Promise<ManifestsSpec> {
  if (files === undefined) {
    if (typeof spec["manifests"] === "string") return spec as unknown as ManifestsSpec;
    throw usage(`${file} has neither 'manifests' nor 'files'.`, example);
  }
  if (spec["manifests"] !== undefined) throw usage(`${file} has both 'manifests' and 'files'.`, "Write one of them.");
  if (!Array.isArray(files) || files.length === 0 || !files.every((each) => typeof each === "string"))
    throw usage(`'files' of ${file} isn't a list of paths.`, example);
  const folder = file === "-" ? "." : dirname(file);
  const texts = await Promise.all(files.map((each: string) => readText(resolve(folder, each))));
  return { ...spec, manifests: texts.join("\n---\n") } as unknown as ManifestsSpec;
}

const example = "It is written like: {set: web, namespace: shop, files: [deployment.yaml, service.yaml]}";
