// Puts values into a template's spec. A value stays one: it goes to its place in the tree, or into one text of it, and never
// becomes structure or a reference. Pure.
import { type CommandKindName, commandLimits, commandSpecs, type KindAndSpec } from "@fairlead/contract";
import type { Problem } from "../problems.ts";
import { type Placeholder, readPlaceholders } from "./placeholders.ts";
import { listReferences } from "./references.ts";
import { toManifests } from "./to-manifests.ts";
import { findTexts, placeholdersOf } from "./walk.ts";

export interface Rendered {
  /** Undefined: there are problems. */
  readonly command: KindAndSpec | undefined;
  readonly problems: readonly Problem[];
}

export function renderSpec(
  kind: CommandKindName,
  spec: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): Rendered {
  if (!fits(spec, values)) {
    const message = `would be larger than ${commandLimits.specBytes} bytes with these values`;
    return { command: undefined, problems: [{ path: ["spec"], message }] };
  }
  const problems: Problem[] = [];
  const filled = fill(spec, [], { values, problems }) as Readonly<Record<string, unknown>>;
  if (problems.length > 0) return { command: undefined, problems };
  const parsed = commandSpecs[kind].schema.safeParse(toManifests(kind, filled));
  if (parsed.success) return { command: { kind, spec: parsed.data } as KindAndSpec, problems };
  return {
    command: undefined,
    problems: parsed.error.issues.map(({ path, message }) => ({ path: ["spec", ...path] as string[], message })),
  };
}

/** Checks the size before anything is made: a value may stand at many places. */
function fits(spec: object, values: Readonly<Record<string, unknown>>): boolean {
  const sizes = new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value).length]));
  let left = commandLimits.specBytes;
  for (const text of findTexts(spec))
    for (const { name } of placeholdersOf(text)) {
      left -= sizes.get(name) ?? 0;
      if (left < 0) return false;
    }
  return true;
}

type Path = readonly (string | number)[];

interface Filling {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problem[];
}

/** Undefined where a parameter has no value: the member or the item isn't there then. */
function fill(value: unknown, path: Path, filling: Filling): unknown {
  if (typeof value === "string") return value.includes("${param:") ? fillText(value, path, filling) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, index) => fill(item, [...path, index], filling)).filter((item) => item !== undefined);
  const members = Object.entries(value).map(
    ([name, member]) => [name, fill(member, [...path, name], filling)] as const,
  );
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function fillText(text: string, path: Path, { values, problems }: Filling): unknown {
  const { parts } = readPlaceholders(text);
  const [first] = parts;
  if (parts.length === 1 && typeof first === "object" && !first.isText) return readValue(values, first);
  const texts = parts.map((part) => (typeof part === "string" ? part : String(readValue(values, part))));
  if (makesReference(parts, texts)) {
    const names = parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
    problems.push({ path: names.slice(0, 1), message: `would change the references of spec.${path.join(".")}` });
  }
  return texts.join("");
}

/** An own property and nothing that all objects have. */
function readValue(values: Readonly<Record<string, unknown>>, { name }: Placeholder): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/**
 * The template's own references are there, each as it was, and no others: not one that begins in one value and ends in
 * another, and none that a `$` before it has made text.
 */
function makesReference(parts: readonly (string | Placeholder)[], texts: readonly string[]): boolean {
  let at = 0;
  const own: string[] = [];
  for (const [index, text] of texts.entries()) {
    if (typeof parts[index] === "string")
      for (const reference of listReferences(text)) own.push(`${at + reference.at} ${reference.begin}`);
    at += text.length;
  }
  const all = listReferences(texts.join("")).map((reference) => `${reference.at} ${reference.begin}`);
  return all.join("\n") !== own.join("\n");
}
