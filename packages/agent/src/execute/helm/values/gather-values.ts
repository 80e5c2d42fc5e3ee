// The values of a release, from all places that the spec names. Each place counts over those before it:
// 1. those that are there, 2. valuesFiles in their order, 3. valuesFrom without targetPath in their order, 4. values,
// 5. valuesFrom with one.
import { join } from "node:path";
import { readRunFile } from "../../../processes/index.ts";
import { leavesOf } from "../../../redact/index.ts";
import { secretErrors } from "../../../secrets/index.ts";
import { readDocuments, YamlProblem } from "../../manifests/yaml/index.ts";
import { resolveTexts } from "../../resolve-texts.ts";
import type { SecretValues } from "../../types.ts";
import { helmErrors } from "../errors.ts";
import type { ValuesFrom, ValuesRule } from "../types.ts";
import { isMap, mergeValues } from "./merge.ts";
import { putAt } from "./target-path.ts";

/** Everything that comes from a Secret is masked from then on. Throws what to mend, by place and without values. */
export async function gatherValues(options: {
  readonly rule: ValuesRule;
  /** The values of the deployed revision, where they are wanted. */
  readonly there: Readonly<Record<string, unknown>>;
  readonly secrets: SecretValues;
  readonly chartFolder: string | undefined;
}): Promise<Readonly<Record<string, unknown>>> {
  const { rule, there, secrets, chartFolder } = options;
  conceal(secrets, there);
  let values: unknown = there;
  for (const path of rule.files) values = mergeValues(values, await readValuesFile(chartFolder ?? "", path));
  const texts: { readonly from: ValuesFrom; readonly text: string }[] = [];
  for (const from of rule.from) {
    const text = await readReference(secrets, from);
    if (text !== undefined) texts.push({ from, text });
  }
  for (const { from, text } of texts) {
    if (from.target !== undefined) continue;
    const layer = readLayer(text, nameOf(from));
    if (from.kind === "secret") conceal(secrets, layer);
    values = mergeValues(values, layer);
  }
  values = mergeValues(values, await resolveTexts(rule.inline, secrets.resolve));
  for (const { from, text } of texts) {
    if (from.target === undefined) continue;
    const whole = putAt(values, from.target, text);
    if (whole === undefined)
      throw helmErrors.HELM_VALUES_INVALID({
        where: nameOf(from),
        what: "another value already exists at its targetPath",
      });
    values = whole;
  }
  return values as Readonly<Record<string, unknown>>;
}

async function readValuesFile(folder: string, path: string): Promise<unknown> {
  const text = await readRunFile(join(folder, path), { folder, mostBytes: mostFileBytes }).catch((cause: unknown) => {
    throw helmErrors.HELM_VALUES_INVALID({ where: path, what: "the file can't be read", cause });
  });
  return readLayer(text.toString("utf8"), path);
}

/** Undefined where it may be missing and is. */
async function readReference({ resolve }: SecretValues, from: ValuesFrom): Promise<string | undefined> {
  try {
    return await resolve(nameOf(from));
  } catch (error) {
    if (from.isOptional && secretErrors.is(error, "SECRET_REFERENCE_MISSING")) return undefined;
    throw error;
  }
}

function nameOf({ kind, object, key }: ValuesFrom): string {
  return `\${${kind}:${object.namespace}/${object.name}/${key}}`;
}

function readLayer(text: string, where: string): unknown {
  try {
    const layers = readDocuments(text).filter(({ value }) => value !== undefined);
    const [layer] = layers;
    if (layer === undefined) return {};
    if (layers.length > 1 || !isMap(layer.value))
      throw helmErrors.HELM_VALUES_INVALID({ where, what: "it isn't one map of values" });
    return layer.value;
  } catch (error) {
    if (error instanceof YamlProblem) throw helmErrors.HELM_VALUES_INVALID({ where, what: error.message });
    throw error;
  }
}

/** Each value by itself: a template prints one of them, and not the file. */
export function conceal(secrets: Pick<SecretValues, "conceal">, value: unknown): void {
  for (const leaf of leavesOf(value)) secrets.conceal(leaf);
}

const mostFileBytes = 4 * 1024 * 1024;
