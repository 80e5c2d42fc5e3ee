// Turns helm's stderr into a code. Templates, schemas and API servers repeat values in it, so only the names of files,
// objects and fields are passed on, and line numbers. Pure.
import type { FairleadError } from "@fairlead/kernel";
import type { Hook } from "@fairlead/kube";
import { helmErrors } from "./errors.ts";
import type { HelmSpec } from "./types.ts";
import { nameHook } from "./watch-release.ts";

export interface Failure {
  readonly spec: HelmSpec;
  readonly exitCode: number;
  readonly said: string;
  /** Hooks of the revision that was under way. */
  readonly hooks: readonly Hook[];
  /** Its objects that aren't ready, each with the reason. */
  readonly unready: readonly string[];
}

export function explainFailure(failure: Failure): FairleadError {
  for (const [pattern, explain] of rules) {
    const match = pattern.exec(failure.said);
    const error = match && explain(match, failure);
    if (error) return error;
  }
  return helmErrors.HELM_FAILED({ exitCode: failure.exitCode });
}

type Explain = (match: RegExpExecArray, failure: Failure) => FairleadError | undefined;

/** The first that knows counts. */
const rules: readonly (readonly [RegExp, Explain])[] = [
  [/execution error at \(([^()\s]+:\d+(?::\d+)?)\)/, atTemplate],
  [/parse error at \(([^()\s]+:\d+(?::\d+)?)\)/, atTemplate],
  [/YAML parse error on ([^\s:]+)/, atTemplate],
  [/^(?:Error: )?(?:[A-Z ]+: )?([\w./-]+:\d+:\d+)\n\s+executing/m, atTemplate],
  [/template: ([^\s:]+:\d+(?::\d+)?):/, atTemplate],
  [/values don't meet the specifications of the schema/, atSchema],
  [
    /missing in charts\/ directory: ([\w., -]+)/,
    ([, names = ""]) => helmErrors.HELM_CHART_DEPENDENCIES_MISSING({ names }),
  ],
  [/Chart\.yaml file is missing|validation: chart\.metadata|Chart\.ya?ml|chart metadata is missing/i, badChart],
  [/no matches for kind "(\w+)" in version "([\w./-]+)"/, unknownKind],
  [/applying object (\S+) (\S+), Kind=(\w+): Apply failed with \d+ conflicts?:([\s\S]*)/, conflict],
  [/failed to (?:create|update): [^\n]*(?:too large|Too long)/, () => helmErrors.HELM_RELEASE_TOO_LARGE()],
  [/(\w+) "([^"\n]+)" in namespace "([^"\n]*)" exists and cannot be imported/, foreign],
  [/another operation \(|release: already exists|cannot re-?use a name/, changed],
  [/forbids it \(rule ([\w. ]+)\)/, ([, rule]) => forbidden(`the policy's rule ${rule} is against it`)],
  [/cannot (\w+) resource "([\w./]+)" in API group "([\w.]*)"/, noRight],
  [/namespaces "([^"\n]+)" not found/, ([, namespace = ""]) => helmErrors.HELM_NAMESPACE_MISSING({ namespace })],
  [/release has no (\d+) version/, noRevision],
  [/release: not found|has no deployed releases/, missing],
  [/(\w+)(?:\.[\w.]+)? "([^"\n]+)" is invalid: ([^\n]*)/, invalid],
  [
    /for object (\S+) (\S+), Kind=(\w+): failed to create typed patch object \([^)]*\): ([^\s:]+): (field not declared|expected (?:map|list|string|numeric|boolean))/,
    unfit,
  ],
  // Helm 3, whose objects nobody checks before.
  [
    /\b(\w+) in version "[^"\n]+" cannot be handled as a /,
    ([, kind]) => refused(`a ${kind}`, "a field is of another type"),
  ],
  [/admission webhook "([^"\n]+)" denied/, ([, name]) => refused("an object", `the webhook ${name} denies it`)],
  [/(\w+)(?:\.[\w.]+)? "([^"\n]+)" is forbidden: exceeded quota: ([\w.-]+)/, quota],
  [/(\w+)(?:\.[\w.]+)? "([^"\n]+)" is forbidden/, ([, kind, name]) => refused(`${kind} ${name}`, "it is forbidden")],
  [
    /hooks? failed|failed (?:pre|post)-|job failed|failed: (?:BackoffLimit|Deadline)|not ready|timed out|deadline exceeded|context canceled|status: Failed/i,
    late,
  ],
  [
    /connection refused|connection reset|\bEOF\b|INTERNAL_ERROR|server is currently unable|too many requests|etcdserver:|\bUnauthorized\b|provide credentials/i,
    () => helmErrors.HELM_API_UNREACHABLE(),
  ],
];

function atTemplate([, place = ""]: RegExpExecArray, { said }: Failure): FairleadError {
  const line = /YAML parse error/.test(said) ? /\bline (\d+)\b/.exec(said)?.[1] : undefined;
  return helmErrors.HELM_TEMPLATE_FAILED({
    place: line === undefined ? place : `${place}, line ${line} of what it makes`,
  });
}

function atSchema(_match: RegExpExecArray, { said }: Failure): FairleadError {
  const places = [...said.matchAll(/^\s*- (?:at '([^'\n]*)'|([\w.()-]+)):/gm)].map(
    ([, pointer, path]) => pointer || path || "/",
  );
  const told = [...new Set(places)].slice(0, maxPlaces);
  return helmErrors.HELM_VALUES_REFUSED({ places: told.length === 0 ? "it doesn't say which" : told.join(", ") });
}

function badChart(_match: RegExpExecArray): FairleadError {
  return helmErrors.HELM_CHART_INVALID({ chart: "of the spec", what: "its Chart.yaml is missing or isn't valid" });
}

function unknownKind([, kind = "", apiVersion = ""]: RegExpExecArray): FairleadError {
  return helmErrors.HELM_KIND_UNKNOWN({ kind, apiVersion });
}

function conflict([, name = "", , kind = "", rest = ""]: RegExpExecArray): FairleadError {
  const conflicts = [...rest.matchAll(/conflicts? with "([^"\n]+)"[^:\n]*:((?:\s*(?:- )?\.[^\n]+)+)/g)].map(
    ([, manager, fields = ""]) =>
      `${manager} owns ${fields
        .split("\n")
        .map((field) => field.replace(/^[\s-]+/, ""))
        .filter(Boolean)
        .join(", ")}`,
  );
  return helmErrors.HELM_CONFLICT({ object: `${kind} ${name}`, conflicts: conflicts.slice(0, maxPlaces).join("; ") });
}

function foreign([, kind, name, namespace]: RegExpExecArray): FairleadError {
  return helmErrors.HELM_OBJECT_FOREIGN({ object: `${kind} ${namespace ? `${namespace}/` : ""}${name}` });
}

function changed(_match: RegExpExecArray, { spec }: Failure): FairleadError {
  return helmErrors.HELM_RELEASE_CHANGED({ release: spec.release });
}

function forbidden(what: string): FairleadError {
  return helmErrors.HELM_FORBIDDEN({ what });
}

function noRight([, verb, resource, group]: RegExpExecArray): FairleadError {
  return forbidden(`${verb} ${resource}${group ? `.${group}` : ""}`);
}

function noRevision([, revision = ""]: RegExpExecArray, { spec }: Failure): FairleadError {
  return helmErrors.HELM_REVISION_MISSING({ release: spec.release, revision });
}

function missing(_match: RegExpExecArray, { spec }: Failure): FairleadError {
  return helmErrors.HELM_RELEASE_MISSING({ release: spec.release, namespace: spec.namespace });
}

function invalid([, kind, name, rest = ""]: RegExpExecArray): FairleadError {
  const isRelease = name?.startsWith("sh.helm.release.");
  if (isRelease) return helmErrors.HELM_RELEASE_TOO_LARGE();
  const fields = [
    ...rest.matchAll(
      /([\w.[\]-]+): (?:Invalid value|Required value|Forbidden|Unsupported value|Too long|Too many|Duplicate value|Not found)/g,
    ),
  ].map(([, field]) => field);
  const isFixed = rest.includes("immutable") ? " can't be changed" : "";
  const what =
    fields.length === 0 ? "it isn't valid" : `${[...new Set(fields)].slice(0, maxPlaces).join(", ")}${isFixed}`;
  return refused(`${kind} ${name}`, what);
}

function unfit([, name, , kind, path = "", what = ""]: RegExpExecArray): FairleadError {
  // Items of lists are named by what is in them.
  const field = path.replace(/\[[^\]]*\]?/g, "[…]");
  const isUnknown = what === "field not declared";
  return refused(`${kind} ${name}`, isUnknown ? `its kind has no field ${field}` : `${field} is of another type`);
}

function quota([, kind, name, quotaName]: RegExpExecArray): FairleadError {
  return refused(`${kind} ${name}`, `the quota ${quotaName} is used up`);
}

function refused(object: string, what: string): FairleadError {
  return helmErrors.HELM_OBJECT_REFUSED({ object, what });
}

/** Time was over, or something failed that was waited for. */
function late(_match: RegExpExecArray, { hooks, unready }: Failure): FairleadError | undefined {
  const failed = hooks.find(({ phase }) => phase === "Failed");
  if (failed)
    return isLateText.test(_match.input)
      ? helmErrors.HELM_HOOK_TIMEOUT({ hook: nameHook(failed) })
      : helmErrors.HELM_HOOK_FAILED({ hook: nameHook(failed) });
  const running = hooks.find(({ phase }) => phase === "Running" || phase === "Unknown");
  if (running) return helmErrors.HELM_HOOK_TIMEOUT({ hook: nameHook(running) });
  const [first = "what the chart makes wasn't ready in time, and is now", ...others] = unready;
  return helmErrors.HELM_NOT_READY({
    detail: others.length === 0 ? first : `${first}; ${others.length} more aren't ready`,
  });
}

const isLateText = /timed out|deadline exceeded/i;
const maxPlaces = 10;
