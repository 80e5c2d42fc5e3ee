// Fixes as a script for a shell. Whatever a cluster's objects say, it does what the fix says and nothing else.
import { printable } from "@fairlead/kernel";
import { stringify } from "yaml";
import { type Fix, kubectl, script, type Words } from "../checks/index.ts";
import { formatRef } from "../snapshot/index.ts";

/** Safe to give to a shell whole: what costs something is a comment, and values that a person must merge are only written to a file. */
export function formatFix(fix: Fix, checkId: string): string {
  const text = formatWay(fix, checkId);
  switch (fix.risk.is) {
    case "safe":
      return text;
    case "destructive":
      return `# Not run unless you uncomment it. ${printable(fix.risk.cost)}\n${comment(text)}`;
    default:
      return fix.risk satisfies never;
  }
}

/** Fields that somebody else set stay as they are: kubectl names them, and who may overrule them is for a person to say. */
export function formatManifests(objects: readonly unknown[]): string {
  return inFile(["kubectl", "apply", "--server-side", "-f", "-"], objects.map(toYaml).join("---\n"));
}

/** In a few words, for a report that only points to it. */
export function describeFix(fix: Fix): string {
  switch (fix.is) {
    case "patch":
      return `a patch of ${formatRef(fix.object)}`;
    case "manifest":
      return `${fix.objects.length === 1 ? "a manifest" : `${fix.objects.length} manifests`} to apply`;
    case "helm-values":
      return `values for the chart ${fix.chart}`;
    case "command":
      return fix.command;
    default:
      return fix satisfies never;
  }
}

function formatWay(fix: Fix, checkId: string): string {
  switch (fix.is) {
    case "patch": {
      const { resource, namespace, name } = fix.object;
      const options = ["--type", fix.type, "--patch", toJson(fix.patch)];
      return `${script([kubectl({ verb: ["patch"], namespace, options, args: [resource, name] })])}\n`;
    }
    case "manifest":
      return formatManifests(fix.objects);
    case "helm-values": {
      const file = `${checkId}.values.yaml`;
      const { namespace = "NAMESPACE", name = "RELEASE" } = fix.release ?? {};
      const options = ["--namespace", namespace, "--reuse-values", "--values", file];
      const upgrade = script([["helm", "upgrade", ...options, "--", name, fix.chart]]);
      return `${inFile(["cat"], toYaml(fix.values), file)}# Then: ${upgrade}\n`;
    }
    case "command":
      return `${fix.command}\n`;
    default:
      return fix satisfies never;
  }
}

function comment(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "# ");
}

/** The text ends with the first line that is the mark, so the mark is one that no line of it is. */
function inFile(command: Words, text: string, target?: string): string {
  const lines = new Set(text.split("\n"));
  let mark = "END_OF_FILE";
  while (lines.has(mark)) mark += "_";
  const to = target === undefined ? "" : ` > ${script([[target]])}`;
  return `${script([command])}${to} <<'${mark}'\n${text}${mark}\n`;
}

/** Characters that would steer a terminal are written as JSON can write them, so that the patch stays what it is. */
function toJson(value: unknown): string {
  const spell = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [...JSON.stringify(value)].map((each) => (printable(each) === each ? each : spell(each))).join("");
}

/** JSON is YAML: a text that YAML would write with such characters as they are is written as JSON. */
function toYaml(value: unknown): string {
  const text = stringify(value, { lineWidth: 0 });
  return text.split("\n").every((line) => printable(line) === line) ? text : `${toJson(value)}\n`;
}
