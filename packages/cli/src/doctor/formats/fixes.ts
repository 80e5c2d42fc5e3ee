// Prints the fixes of failed checks so that people can apply them: commands for a shell, and files between them.
import { type CheckReport, type Fix, formatRef } from "@fairlead/doctor";
import { stringify } from "yaml";
import { printable } from "../../output/index.ts";
import { type Examination, troublesOf } from "./examination.ts";

/** Each fix once, under the checks that ask for it. */
export function formatFixes({ report, rightsMissing }: Examination): string {
  const fixes = new Map<string, string[]>();
  for (const trouble of troublesOf(report)) {
    if (trouble.verdict.is === "pass" || trouble.verdict.fix === undefined) continue;
    const text = formatFix(trouble.verdict.fix, trouble.check.id);
    fixes.set(text, [...(fixes.get(text) ?? []), toHeading(trouble)]);
  }
  const blocks = [...fixes].map(([text, headings]) => `${headings.join("")}${text}`);
  if (rightsMissing.length > 0) blocks.push(formatRights(rightsMissing));
  return blocks.length === 0 ? "# There is nothing to fix.\n" : blocks.join("\n");
}

/** To be applied by somebody who may give rights. */
export function formatRights(manifests: readonly object[]): string {
  return `# Lets you read what these checks need.\n${apply(manifests)}`;
}

/** Safe to give to a shell whole: values that a person must merge into those of a release are only written to a file. */
export function formatFix(fix: Fix, checkId: string): string {
  switch (fix.is) {
    case "patch": {
      const { resource, namespace, name } = fix.object;
      const place = namespace === undefined ? [] : ["--namespace", namespace];
      const words = ["kubectl", "patch", resource, name, ...place, "--type", fix.type, "--patch", toJson(fix.patch)];
      return `${words.map(quote).join(" ")}\n`;
    }
    case "manifest":
      return apply(fix.objects);
    case "helm-values": {
      const file = `${checkId}.values.yaml`;
      const { namespace = "NAMESPACE", name = "RELEASE" } = fix.release ?? {};
      const upgrade = `helm upgrade ${safe(name)} ${safe(fix.chart)} --namespace ${safe(namespace)} --reuse-values`;
      return `${inFile(`cat > ${quote(file)}`, toYaml(fix.values))}# Then: ${upgrade} --values ${file}\n`;
    }
    case "command":
      return `${fix.command.split("\n").map(safe).join("\n")}\n`;
    default:
      return fix satisfies never;
  }
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

function toHeading({ check, verdict }: CheckReport): string {
  return `# ${check.id}: ${safe(verdict.message.replaceAll(/\s+/g, " "))}\n`;
}

function apply(objects: readonly unknown[]): string {
  // Somebody else may have written the fields that are to be put right.
  return inFile("kubectl apply --server-side --force-conflicts -f -", objects.map(toYaml).join("---\n"));
}

function inFile(command: string, text: string): string {
  return `${command} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;
}

/** A shell takes nothing between single quotes for anything else. */
function quote(word: string): string {
  const text = printable(word);
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
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

const safe = printable;
