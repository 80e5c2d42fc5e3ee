// The file that declares a stack. Manifests stand in it, or in files that it names beside it.
import { dirname, resolve } from "node:path";
import type { DeclaredResources } from "@fairlead/contract";
import { parseDocument } from "yaml";
import { usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import { readAll, type Terminal } from "../../terminal.ts";

export interface StackFile {
  readonly name: string;
  readonly resources: DeclaredResources;
}

/** The hub checks all but what is read here. */
export async function readStack(terminal: Pick<Terminal, "stdin">, file: string): Promise<StackFile> {
  const document = parseDocument(file === "-" ? await readAll(terminal.stdin) : await readText(file));
  const [problem] = document.errors;
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  const { name, resources, ...others } = toMap(document.toJS(), file);
  const [other] = Object.keys(others);
  if (other !== undefined) throw usage(`${file} has the unknown member '${other}'.`, example);
  if (typeof name !== "string" || name === "") throw usage(`${file} lacks the stack's 'name'.`, example);
  const folder = file === "-" ? "." : dirname(file);
  const entries = Object.entries(toMap(resources, `'resources' of ${file}`));
  const read = await Promise.all(
    entries.map(async ([key, value]) => [key, await withFiles(toMap(value, `'${key}' of ${file}`), folder, key)]),
  );
  return { name, resources: Object.fromEntries(read) as DeclaredResources };
}

async function withFiles(resource: Fields, folder: string, name: string): Promise<Fields> {
  const spec = resource["spec"];
  if (typeof spec !== "object" || spec === null || !("files" in spec) || resource["kind"] !== "manifests")
    return resource;
  const { files, ...others } = spec as Fields;
  if ("manifests" in others) throw usage(`'${name}' has both 'manifests' and 'files'.`, "Write one of them.");
  if (!Array.isArray(files) || files.length === 0 || !files.every((each) => typeof each === "string"))
    throw usage(`'files' of '${name}' isn't a list of paths.`, example);
  const texts = await Promise.all(files.map((each: string) => readText(resolve(folder, each))));
  return { ...resource, spec: { ...others, manifests: texts.join("\n---\n") } };
}

function toMap(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw usage(`${what} isn't a map.`, example);
}

type Fields = Record<string, unknown>;

const example =
  "It is written like: {name: shop, resources: {web: {cluster: east, kind: manifests, spec: {set: web, files: [web.yaml]}}}}";
