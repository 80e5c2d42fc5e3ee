// Finds the problems of a template's spec that can be known without values. Pure.
import { type CommandKindName, commandSpecs, templateLimits } from "@fairlead/contract";
import type { Problem } from "../problems.ts";
import { isClosed } from "./closed-places.ts";
import { hasFixedCredentials, isBesideCredentials } from "./credentials-beside.ts";
import { toManifests } from "./to-manifests.ts";
import { type FoundPlaceholder, findTexts, placeholdersOf } from "./walk.ts";

type Path = readonly (string | number)[];

export interface KnownParameter {
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object";
  /** There is a value in any case. */
  readonly isSure: boolean;
}

export function checkSpec(
  kind: CommandKindName,
  spec: Readonly<Record<string, unknown>>,
  parameters: ReadonlyMap<string, KnownParameter>,
): readonly Problem[] {
  const texts = [...findTexts(spec)];
  const placeholders = texts.flatMap(placeholdersOf);
  const problems: Problem[] = texts.flatMap(({ path, problem }) => (problem ? [at(path, problem)] : []));
  const limit = templateLimits.placeholders;
  if (placeholders.length > limit) problems.push(at([], `has more than ${limit} places for parameters`));
  for (const placeholder of placeholders) {
    const problem = problemOf(placeholder, parameters.get(placeholder.name), isClosed(kind, placeholder.path));
    if (problem !== undefined) problems.push(at(placeholder.path, problem));
    if (isBesideCredentials(spec, placeholder)) problems.push(at(placeholder.path, besideCredentials));
    if (isWholeEnvironment(kind, placeholder)) problems.push(at(placeholder.path, wholeEnvironment));
  }
  for (const text of texts) if (hasFixedCredentials(text)) problems.push(at(text.path, besideCredentials));
  const used = new Set(placeholders.map(({ name }) => name));
  for (const name of parameters.keys())
    if (!used.has(name)) problems.push({ path: ["parameters", "properties", name], message: "isn't used" });
  return [...problems, ...problemsOfKind(kind, spec, placeholders)];
}

const besideCredentials = "has a parameter in a URL with fixed credentials: its value could choose where they are sent";
const wholeEnvironment = "is a parameter as a whole: name the variables of the environment, and give each a value";

/** It could have any variable, and many of them choose programs. */
function isWholeEnvironment(kind: CommandKindName, { path }: FoundPlaceholder): boolean {
  const place = kind === "flow" ? path.slice(2).join(".") : `${kind}.${path.join(".")}`;
  return place === "tofu.environment";
}

function problemOf(
  { name, isWhole }: FoundPlaceholder,
  known: KnownParameter | undefined,
  isForbidden: boolean,
): string | undefined {
  if (!known) return `has a parameter '${name}' that the schema doesn't name`;
  if (isForbidden) return `has a parameter '${name}' where none may be: it is a program, or says which Secret is meant`;
  if (isWhole) return undefined;
  if (known.type === "array" || known.type === "object")
    return `has '${name}' within a text, and it is a ${known.type}`;
  return known.isSure ? undefined : `has '${name}' within a text, so it must be required or have a default`;
}

/** Problems by the kind's schema. Slots with parameters in them are judged when there are values. */
function problemsOfKind(
  kind: CommandKindName,
  spec: Readonly<Record<string, unknown>>,
  placeholders: readonly FoundPlaceholder[],
): readonly Problem[] {
  const issues = commandSpecs[kind].schema.safeParse(toManifests(kind, spec)).error?.issues ?? [];
  return issues.flatMap(({ code, path, message }) => {
    const place = path as Path;
    const isOpen = placeholders.some(
      (one) =>
        isWithin(one.path, place) ||
        // Where one of several shapes fits, or none, depends on what is deeper.
        ((code === "invalid_union" || code === "custom") && isWithin(place, one.path)),
    );
    return isOpen ? [] : [at(place, message)];
  });
}

function isWithin(outer: Path, inner: Path): boolean {
  return outer.every((part, index) => part === inner[index]);
}

function at(path: Path, message: string): Problem {
  return { path: ["spec", ...path], message };
}
