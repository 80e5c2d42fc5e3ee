// SARIF 2.1.0 (OASIS), which code scanning reads. An object of a cluster is a logical location; one of a dump also has the
// file and line that it was read from.
import { allChecks, type CheckReport, type Evidence, formatFix, formatRef } from "@fairlead/doctor";
import { describeEvidence, type Examination, outcomeOf, pageOf } from "./examination.ts";

export function toSarif(examination: Examination, version: string): object {
  const checks = allChecks(examination.report);
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "fairlead doctor", semanticVersion: version, rules: checks.map(toRule) } },
        results: checks.map((checked, ruleIndex) => toResult(examination, checked, ruleIndex)),
        columnKind: "utf16CodeUnits",
        properties: { fitness: examination.fitness, hidden: examination.report.hidden },
      },
    ],
  };
}

function toRule({ check }: CheckReport): object {
  const { id, title, why, severity, features } = check;
  return {
    id,
    shortDescription: { text: `${title}.` },
    fullDescription: { text: why === "" ? `${title}.` : why },
    help: { text: `${why}\n\nSee ${pageOf(id)}.`, markdown: `${why}\n\nSee [${id}](${pageOf(id)}).` },
    helpUri: `urn:fairlead:check:${id}`,
    defaultConfiguration: { level: severity === "required" ? "error" : "warning" },
    properties: { tags: features },
  };
}

function toResult(examination: Examination, checked: CheckReport, ruleIndex: number): object {
  const { check, verdict } = checked;
  const fix = verdict.is === "pass" ? undefined : verdict.fix;
  const differences = verdict.evidence.map(describeEvidence);
  return {
    ruleId: check.id,
    ruleIndex,
    ...levels[outcomeOf(checked)],
    message: { text: [verdict.message, ...differences].join("\n") },
    locations: verdict.evidence.map((evidence) => toLocation(examination, evidence)),
    ...(fix && { properties: { fix: formatFix(fix, check.id) } }),
  };
}

/** A result that isn't a failure has the level `none` (3.27.10). */
const levels = {
  pass: { kind: "pass", level: "none" },
  fail: { kind: "fail", level: "error" },
  warn: { kind: "fail", level: "warning" },
  unknown: { kind: "open", level: "none" },
} as const;

function toLocation({ placeOf }: Examination, { object, path }: Evidence): object {
  const place = placeOf(object);
  const name = formatRef(object);
  return {
    ...(place && {
      physicalLocation: {
        artifactLocation: { uri: place.file.split("/").map(encodeURIComponent).join("/") },
        ...(place.line !== undefined && { region: { startLine: place.line } }),
      },
    }),
    logicalLocations: [
      { name: object.name, fullyQualifiedName: path === "" ? name : `${name}#${path}`, kind: "object" },
    ],
  };
}
