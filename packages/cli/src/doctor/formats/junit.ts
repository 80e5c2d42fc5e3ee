// JUnit's XML as CI systems read it. A required check that fails is a failure, one that could not be judged an error. What
// is only recommended never breaks a build: it is told in `system-out`, or skipped where it could not be judged.
// So is a required check of an object that is only planned.
import { type CheckReport, formatFix, type Shortfall } from "@fairlead/doctor";
import { describeEvidence, type Examination, outcomeOf } from "./examination.ts";

export function formatJunit({ report, fitness }: Examination): string {
  const suites = report.addons
    .map(({ id, checks, isNotRunning = false }) => {
      const missing = fitness.because.filter(isOf(id)).map(toMissing(fitness.is, isNotRunning));
      return toSuite(id, [...missing, ...checks.map(toCase)]);
    })
    .filter((suite) => suite.cases.length > 0);
  if (report.checks.length > 0) suites.push(toSuite("cluster", report.checks.map(toCase)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="fairlead doctor"${countsOf(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${xml(name)}"${countsOf(cases)}>`,
      ...cases.flatMap((each) => formatCase(name, each)),
      "  </testsuite>",
    ]),
    "</testsuites>\n",
  ].join("\n");
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly name: string;
  readonly result: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  /** Told below the message. */
  readonly detail: string;
}

function toSuite(name: string, cases: readonly Case[]): Suite {
  return { name, cases };
}

function isOf(addon: string): (shortfall: Shortfall) => boolean {
  return (shortfall) => shortfall.addon === addon;
}

/** An essential addon that isn't there has no checks of its own. */
function toMissing(fitness: Examination["fitness"]["is"], isNotRunning: boolean): (shortfall: Shortfall) => Case {
  const result = isNotRunning ? "skipped" : fitness === "unfit" ? "failure" : "error";
  return ({ message }) => ({ name: "is installed", result, message, detail: "" });
}

function toCase(checked: CheckReport): Case {
  const { check, verdict } = checked;
  const name = `${check.id}: ${check.title}`;
  const detail = detailOf(checked);
  const outcome = outcomeOf(checked);
  switch (outcome) {
    case "fail":
      return { name, result: "failure", message: verdict.message, detail };
    case "unknown":
      return { name, result: isError(checked) ? "error" : "skipped", message: verdict.message, detail };
    case "warn":
      return { name, result: "passed", message: verdict.message, detail };
    case "pass":
      return { name, result: "passed", message: "", detail: "" };
    default:
      return outcome satisfies never;
  }
}

/** Rendered files can't say how their objects run, so that such a check would break each build. */
function isError({ check, verdict }: CheckReport): boolean {
  return check.severity === "required" && !(verdict.is === "unknown" && verdict.isNotRunning);
}

function detailOf({ check, verdict }: CheckReport): string {
  const evidence = verdict.evidence.map((each) => `${describeEvidence(each)}\n`);
  const fix = verdict.is === "pass" || verdict.fix === undefined ? "" : `\n${formatFix(verdict.fix, check.id)}`;
  return `${evidence.join("")}${fix}`;
}

function countsOf(cases: readonly Case[]): string {
  const count = (result: Case["result"]) => cases.filter((each) => each.result === result).length;
  return ` tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function formatCase(suite: string, { name, result, message, detail }: Case): string[] {
  const head = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
  if (result !== "passed") {
    return [`${head}>`, `      <${result} message="${xml(message)}">${xml(detail)}</${result}>`, "    </testcase>"];
  }
  if (message === "") return [`${head}/>`];
  return [`${head}>`, `      <system-out>${xml(`warning: ${message}\n${detail}`)}</system-out>`, "    </testcase>"];
}

/** XML 1.0 has no place for most control characters, however they are written. */
function xml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff\ud800-\udfff]/gu, "�")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}
