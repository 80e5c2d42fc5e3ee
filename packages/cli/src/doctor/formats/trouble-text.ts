import { type CheckReport, describeFix, type Evidence, formatRef } from "@fairlead/doctor";
import type { Output } from "../../output/index.ts";
import { outcomeOf, pageOf, showObserved } from "./examination.ts";
import { wrap } from "./lines.ts";

/** Describes a check that didn't pass: what was seen, what should be, and where the fix is described. */
export function formatTrouble(checked: CheckReport, output: Output): string {
  const { check, verdict } = checked;
  const fix = verdict.is === "pass" ? undefined : verdict.fix;
  const left = verdict.evidence.length - mostEvidence;
  return [
    `${labelOf(checked, output)}  ${output.safe(check.id)} (${check.severity})\n`,
    wrap(verdict.message, { first: indent }),
    ...verdict.evidence.slice(0, mostEvidence).map(formatEvidence),
    left > 0 ? `${indent}and ${left} more, which --json shows\n` : "",
    fix ? wrap(`Fix (--fix prints it): ${describeFix(fix)}`, { first: indent, indent: `${indent}  ` }) : "",
    `${indent}${pageOf(output.safe(check.id))}\n`,
  ].join("");
}

/** True for a check that says nothing but that something is hidden. */
export function isBareUnknown({ verdict }: CheckReport): boolean {
  return verdict.is === "unknown" && verdict.evidence.length === 0 && verdict.fix === undefined;
}

/** Many such checks have one reason, which is told once. */
export function formatUnknowns(unknowns: readonly CheckReport[], output: Output): string[] {
  return [...Map.groupBy(unknowns, ({ verdict }) => verdict.message)].map(([message, checks]) => {
    const names = checks.map(({ check }) => `${check.id} (${check.severity})`).join(", ");
    const [head = "", ...lines] = wrap(names, { first: "UNKNOWN  ", indent }).split("\n");
    return (
      [head.replace("UNKNOWN", output.colors.dim("UNKNOWN")), ...lines].join("\n") + wrap(message, { first: indent })
    );
  });
}

function labelOf(checked: CheckReport, { colors }: Output): string {
  const outcome = outcomeOf(checked);
  switch (outcome) {
    case "fail":
      return colors.red("FAIL   ");
    case "warn":
      return colors.yellow("WARN   ");
    case "unknown":
      return colors.dim("UNKNOWN");
    case "pass":
      return colors.green("PASS   ");
    default:
      return outcome satisfies never;
  }
}

function formatEvidence({ object, path, observed, expected }: Evidence): string {
  const inner = `${indent}  `;
  return [
    wrap(formatRef(object), { first: indent, indent: inner }),
    path === "" ? "" : wrap(path, { first: inner }),
    wrap(showObserved(observed), { first: `${inner}is:        `, indent: `${inner}           ` }),
    wrap(expected, { first: `${inner}should be: `, indent: `${inner}           ` }),
  ].join("");
}

const indent = " ".repeat(9);
const mostEvidence = 5;
