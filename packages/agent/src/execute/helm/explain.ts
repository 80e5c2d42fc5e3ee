// Turns helm's stderr into a code, with Helm's own reason and the chart's own words. Templates, schemas and API servers
// repeat values: what is given here is masked already, and texts in which values are cut or spelt in another way, which
// no mask knows, aren't passed on. Pure.
import type { FairleadError } from "@fairlead/kernel";
import type { Hook } from "@fairlead/kube";
import { describeCause, readCauses } from "../manifests/refusals.ts";
import type { Task } from "../types.ts";
import { helmErrors } from "./errors.ts";
import type { HelmSpec } from "./types.ts";
import { nameHook } from "./watch-release.ts";

export interface Failure {
  readonly spec: HelmSpec;
  readonly exitCode: number;
  /** Helm's stderr with secret values masked. */
  readonly said: string;
  /** False: whoever asked may not see what the chart says in words of its own. */
  readonly showsWords: boolean;
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
  const { exitCode, said, showsWords } = failure;
  const reason = showsWords ? (ownReason(said) ?? noReason) : withheld;
  return helmErrors.HELM_FAILED({ exitCode, reason });
}

/** Masks Helm's words before it cuts them, so that they may leave the cluster. */
export function readWords(
  { secrets, isProposal }: Pick<Task<unknown>, "secrets" | "isProposal">,
  { said }: { readonly said: string },
): Pick<Failure, "said" | "showsWords"> {
  return { said: String(secrets.redact(said)), showsWords: isProposal !== true || secrets.read.size === 0 };
}

type Explain = (match: RegExpExecArray, failure: Failure) => FairleadError | undefined;

/** The first that knows counts. */
const rules: readonly (readonly [RegExp, Explain])[] = [
  // The messages of the chart's `fail` and `required`.
  [/execution error at \(([^()\s]+:\d+(?::\d+)?)\): ([\s\S]*)/, atTemplate],
  [/parse error at \(([^()\s]+:\d+(?::\d+)?)\): ([^\n]*)/, atTemplate],
  [/YAML parse error on ([^\s:]+)/, atMadeYaml],
  [/^(?:Error: )?(?:[A-Z ]+: )?([\w./-]+:\d+:\d+)\n\s+executing[\s\S]*>:\s+([\s\S]*)/m, atTemplate],
  [/template: ([^\s:]+:\d+(?::\d+)?):(?:[\s\S]*>)?:? ([\s\S]*)/, atTemplate],
  [
    /chart requires kubeVersion: (.+?) which is incompatible with Kubernetes (\S+)/,
    ([, wanted = "", version = ""]) => helmErrors.HELM_KUBERNETES_UNFIT({ wanted, version }),
  ],
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
  [
    /unable to create new content in namespace (\S+) because it is being terminated/,
    ([, namespace = ""]) => helmErrors.HELM_NAMESPACE_TERMINATING({ namespace }),
  ],
  [/forbids the request \(rule ([\w. ]+)\)/, ([, rule]) => forbidden(`the policy's rule ${rule} is against it`)],
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
  [
    /admission webhook "([^"\n]+)" denied the request(?:: ([^\n]*))?/,
    ([, name, why], { showsWords }) =>
      refused("an object", `the webhook ${name} denies it${why && showsWords ? `: ${brief(why)}` : ""}`),
  ],
  [/(\w+)(?:\.[\w.]+)? "([^"\n]+)" is forbidden: exceeded quota: ([\w.-]+)(?:, (requested: [^\n]*))?/, quota],
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

function atTemplate([, place = "", reason = ""]: RegExpExecArray, { showsWords }: Failure): FairleadError {
  const said = showsWords ? brief(withoutCutValues(reason)) : "";
  return helmErrors.HELM_TEMPLATE_FAILED({ what: said === "" ? place : `${place}: ${said}` });
}

/** The library that reads YAML cuts the values that it repeats. */
function atMadeYaml([, place = ""]: RegExpExecArray, { said }: Failure): FairleadError {
  const line = /\bline (\d+)\b/.exec(said)?.[1];
  const where = line === undefined ? place : `${place}, line ${line} of what it makes`;
  const reason = yamlReasons.exec(said)?.[0];
  return helmErrors.HELM_TEMPLATE_FAILED({ what: reason === undefined ? where : `${where}: ${reason}` });
}

/** A schema's library spells values in a way of its own, so only reasons without values are told. */
function atSchema(_match: RegExpExecArray, { said }: Failure): FairleadError {
  const places = [...said.matchAll(/^\s*- (?:at '([^'\n]*)'|([\w.()-]+)): ([^\n]*)/gm)].map(
    ([, pointer, path, reason = ""]) => {
      const told = schemaReasons.exec(reason)?.[0];
      return `${pointer || path || "/"}${told ? `: ${told}` : ""}`;
    },
  );
  const told = [...new Set(places)].slice(0, maxPlaces);
  return helmErrors.HELM_VALUES_REFUSED({ places: told.length === 0 ? "it doesn't say which" : told.join("; ") });
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
  if (name?.startsWith("sh.helm.release.")) return helmErrors.HELM_RELEASE_TOO_LARGE();
  const causes = [...new Set(readCauses(rest).map(describeCause))].slice(0, maxPlaces);
  return refused(`${kind} ${name}`, causes.length === 0 ? "it isn't valid" : causes.join("; "));
}

function unfit([, name, , kind, path = "", what = ""]: RegExpExecArray): FairleadError {
  // Items of lists are named by what is in them.
  const field = path.replace(/\[[^\]]*\]?/g, "[…]");
  const isUnknown = what === "field not declared";
  return refused(`${kind} ${name}`, isUnknown ? `its kind has no field ${field}` : `${field} is of another type`);
}

function quota([, kind, name, quotaName, numbers]: RegExpExecArray): FairleadError {
  return refused(`${kind} ${name}`, `the quota ${quotaName} is used up${numbers ? ` (${numbers})` : ""}`);
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

/** The last thing that Helm calls an error; else all it says. */
function ownReason(said: string): string | undefined {
  const error = said.slice(Math.max(0, said.lastIndexOf("Error: "))).replace(/^Error: (?:[A-Z]+ FAILED: )?/, "");
  return brief(withoutCutValues(error)) || undefined;
}

/** Go's libraries cut long values, and the beginning of a secret isn't masked. */
function withoutCutValues(text: string): string {
  return text.replace(/`[^`\n]*\.\.\.`|"[^"\n]*\.\.\."|<[^<>\n]*\.\.\.>/g, "…");
}

/** One line, without the full stop that the sentence has. */
function brief(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/[.!]$/, "");
  return line.length > maxReason ? `${line.slice(0, maxReason)}…` : line;
}

const yamlReasons =
  /mapping values are not allowed in this context|mapping key "\w+" already defined|did not find expected [\w' ,-]+|could not find expected '\S+'|found character that cannot start any token|found a tab character[\w ]*|found unknown escape character|block (?:sequence|mapping) entries are not allowed in this context|found unexpected [\w ]+|unknown anchor|control characters are not allowed/;
const schemaReasons =
  /^(?:got [\w ,]+, want [\w ,]+$|missing propert(?:y|ies) [^\n]*|additional properties [^\n]*|Invalid type\. Expected: [\w/]+, given: [\w/]+|\S+ is required|Additional property \S+ is not allowed)/;
const isLateText = /timed out|deadline exceeded/i;
const noReason = "it doesn't say why";
const withheld = "the reason isn't shown to somebody who may only propose";
const maxPlaces = 10;
const maxReason = 600;
