import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mergeValues } from "@fairlead/doctor";
import { Fields } from "@fairlead/kernel";
import { parse } from "yaml";
import { isMissing } from "../files/index.ts";

/** The values of a chart that lies in a folder, over those of the charts in it; each of these under its name or alias. */
export async function readDefaults(folder: string, depth = 0): Promise<unknown> {
  const own = parse(await readText(join(folder, "values.yaml"))) ?? {};
  const dependencies = new Fields(parse(await readText(join(folder, "Chart.yaml")))).at("dependencies").list();
  const inner: Record<string, unknown> = {};
  for (const name of depth < deepest ? await listFolders(join(folder, "charts")) : []) {
    const values = await readDefaults(join(folder, "charts", name), depth + 1);
    const uses = dependencies.filter((each) => each.at("name").text() === name);
    for (const use of uses.length === 0 ? [undefined] : uses) inner[use?.at("alias").text() ?? name] = values;
  }
  return mergeValues(inner, own);
}

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((thrown: unknown) => {
    if (isMissing(thrown)) return "";
    throw thrown;
  });
}

async function listFolders(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

const deepest = 5;
