// Prints the fixes of failed checks so that people can apply them: commands for a shell, and files between them.
import { type CheckReport, formatFix, formatManifests } from "@fairlead/doctor";
import { printable } from "@fairlead/kernel";
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
  return `# Lets you read what these checks need.\n${formatManifests(manifests)}`;
}

function toHeading({ check, verdict }: CheckReport): string {
  return `# ${check.id}: ${printable(verdict.message.replaceAll(/\s+/g, " "))}\n`;
}
