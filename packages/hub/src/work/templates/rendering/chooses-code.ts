// Whether a value of somebody who may only propose could choose code that is run for a plan: charts, configurations,
// repositories, providers, whole documents. Only places that are known to be data don't; all others count as choosing.
// Pure.
import type { CommandKindName } from "@fairlead/contract";
import { type FoundPlaceholder, findTexts, placeholdersOf } from "./walk.ts";

type Path = readonly (string | number)[];

export function choosesCode(kind: CommandKindName, spec: Readonly<Record<string, unknown>>): boolean {
  return [...findTexts(spec)].some(
    (text) => text.problem !== undefined || placeholdersOf(text).some((one) => !isData(kind, spec, one)),
  );
}

function isData(kind: CommandKindName, spec: unknown, { path }: FoundPlaceholder): boolean {
  if (kind !== "flow") return isDataOf(kind, spec, path);
  const [steps, index, ofKind, ...inner] = path;
  const step = steps === "steps" ? memberOf(memberOf(spec, "steps"), index) : undefined;
  if (isKindOfStep(ofKind)) return isDataOf(ofKind, memberOf(step, ofKind), inner);
  return data.flow.some((place) => fits(place, path));
}

function isDataOf(kind: Exclude<CommandKindName, "flow">, spec: unknown, path: Path): boolean {
  // OpenTofu evaluates variables in sources of modules before it plans.
  if (kind === "tofu" && path[0] === "variables" && hasOpenSources(memberOf(memberOf(spec, "source"), "files")))
    return false;
  return data[kind].some((place) => fits(place, path));
}

function isKindOfStep(name: unknown): name is "manifests" | "helm" | "tofu" {
  return name === "manifests" || name === "helm" || name === "tofu";
}

/** `*` is any one member; `**`, at the end, any number of them. */
function fits(place: string, path: Path): boolean {
  const parts = place.split(".");
  const isOpen = parts.at(-1) === "**";
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  if (isOpen ? path.length < fixed.length : path.length !== fixed.length) return false;
  return fixed.every((part, index) => isLike(part, String(path[index])));
}

function isLike(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

const data: Readonly<Record<CommandKindName, readonly string[]>> = {
  // A document's kind and its top members as wholes are the document itself, or nearly.
  manifests: [
    "set",
    "namespace",
    "prune",
    "allowEmpty",
    "force",
    "createNamespace",
    "wait",
    "wait.timeoutSeconds",
    "objects.*.*.*.**",
  ],
  helm: [
    "release",
    "namespace",
    "values.**",
    "reuseValues",
    "wait",
    "wait.timeoutSeconds",
    "wait.jobs",
    "atomic",
    "createNamespace",
    "forceConflicts",
    "skipHooks",
    "skipCrds",
    "historyMax",
    "keepHistory",
    "notes",
  ],
  // Of the environment only variables of the configuration: `TF_CLI_ARGS`, `PATH` and many others choose programs.
  tofu: [
    "name",
    "namespace",
    "workspace",
    "variables.**",
    "environment.TF_VAR_*",
    "targets",
    "targets.*",
    "outputs.names",
    "outputs.names.*",
    "parallelism",
    "lockTimeoutSeconds",
  ],
  flow: [
    "name",
    "namespace",
    "steps.*.continueOnError",
    "steps.*.always",
    "steps.*.timeoutSeconds",
    "steps.*.retry.attempts",
    "steps.*.retry.delaySeconds",
    "steps.*.wait.name",
    "steps.*.wait.namespace",
    "steps.*.wait.timeoutSeconds",
  ],
};

/** Whether a module's source or version, or a provider's, isn't plain text. A file that is none of a text counts, too. */
function hasOpenSources(files: unknown): boolean {
  if (typeof files !== "object" || files === null) return false;
  return Object.values(files).some((text) => typeof text !== "string" || openSource.test(text));
}

/** In HCL and in JSON, and in comments, too. */
const openSource =
  /\b"?(?:source|version)"?\s*[=:]\s*(?!\s)(?!"(?:[^"$%\\]|\$(?!\{)|%(?!\{))*"\s*[,}\]]*\s*(?:[#/\n]|$))/m;

function memberOf(value: unknown, name: string | number | undefined): unknown {
  if (typeof value !== "object" || value === null || name === undefined) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string | number, unknown>>)[name] : undefined;
}
