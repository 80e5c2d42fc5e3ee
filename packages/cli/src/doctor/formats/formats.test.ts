import { execFileSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { safe } from "@fairlead/doctor";
import { expect, test } from "vitest";
import { createOutput } from "../../output/index.ts";
import { createTestTerminal } from "../../testing/cli.fixture.ts";
import { checked, examinationOf, failed, sampleReport } from "./examinations.fixture.ts";
import { formatFixes, formatJunit, formatReport, toDocument, toSarif } from "./index.ts";
import { findSarifMistakes } from "./sarif-rules.fixture.ts";

const output = createOutput(createTestTerminal("/nowhere", { isTTY: true }).terminal, {
  isJson: false,
  isWide: false,
  hasHeadings: true,
});
const golden = (name: string): string => new URL(`golden/${name}`, import.meta.url).pathname;
const inJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

test("people read addons, troubles with evidence and fix, features, what was hidden, and the answer", async () => {
  const text = stripVTControlCharacters(formatReport(examinationOf(), output));
  await expect(text).toMatchFileSnapshot(golden("report.txt"));
  const lines = text.split("\n").filter((line) => !/\S{60}/.test(line));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("a doubt about the cluster's type is said beside it, where nothing was found and where something was", () => {
  const { clusterType } = sampleReport;
  const doubt = "Not all nodes could be read.";
  const headOf = (type: object) => {
    const report = { ...sampleReport, clusterType: { ...clusterType, ...type } };
    return stripVTControlCharacters(formatReport(examinationOf({ report }), output))
      .split("Read:")[0]
      ?.replaceAll(/\s+/g, " ");
  };
  expect(headOf({ type: "generic", evidence: [], doubt })).toBe(
    `Cluster type: generic (${doubt}). Profile: fairlead. `,
  );
  expect(headOf({ doubt })).toContain(`aws:///eu/i-1; ${doubt}).`);
});

test("programs read the same as JSON, without whole objects", async () => {
  await expect(inJson(toDocument(examinationOf()))).toMatchFileSnapshot(golden("report.json.txt"));
});

test("CI systems read JUnit: only what is required fails a build", async () => {
  await expect(formatJunit(examinationOf())).toMatchFileSnapshot(golden("report.xml"));
});

test("code scanning reads SARIF with rules, help, and places in files", async () => {
  const placeOf = () => ({ file: "dump/argo cd.yaml", line: 12 });
  await expect(inJson(toSarif(examinationOf({ placeOf }), "1.2.3"))).toMatchFileSnapshot(golden("report.sarif"));
});

test.each([
  ["objects in files", examinationOf({ placeOf: () => ({ file: "dump/argo cd.yaml", line: 12 }) })],
  ["files without lines", examinationOf({ placeOf: () => ({ file: "dump.json" }) })],
  ["a cluster", examinationOf()],
])("SARIF about %s has all that the specification asks for and nothing that it doesn't know", (_what, examination) => {
  expect(findSarifMistakes(toSarif(examination, "1.2.3"))).toEqual([]);
});

test("SARIF that isn't is found to be so", () => {
  expect(
    findSarifMistakes({ version: "2.1.0", runs: [{ results: [{ kind: "pass", level: "error", ruleIndex: 3 }] }] }),
  ).toEqual([
    "/: $schema is missing",
    "/runs/0: tool is missing",
    "/runs/0/results/0: message is missing",
    "/runs/0/results/0: level error of a result that is pass",
    "/runs/0/results/0: ruleIndex 3 names no rule",
  ]);
});

test("fixes are commands and files that can be applied as they stand, each once", async () => {
  const rightsMissing = [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "d" } }];
  await expect(formatFixes(examinationOf({ rightsMissing }))).toMatchFileSnapshot(golden("fixes.sh"));
  const helm = checked("keda.values", "required", {
    is: "fail",
    message: "It has too few.",
    evidence: [],
    fix: {
      is: "helm-values",
      risk: safe,
      chart: "keda",
      release: { namespace: "keda", name: "keda" },
      values: { replicas: 2 },
    },
  });
  const withHelm = examinationOf({ report: { ...sampleReport, addons: [], checks: [helm] } });
  expect(formatFixes(withHelm)).toBe(`# keda.values: It has too few.
cat > keda.values.values.yaml <<'END_OF_FILE'
replicas: 2
END_OF_FILE
# Then: helm upgrade --namespace keda --reuse-values --values keda.values.values.yaml -- keda keda
`);
  const again = { ...sampleReport, addons: [], checks: [failed, { ...failed, check: { ...failed.check, id: "a.b" } }] };
  expect(formatFixes(examinationOf({ report: again })).match(/kubectl patch/g)).toHaveLength(1);
  expect(formatFixes(examinationOf({ report: { ...sampleReport, addons: [], checks: [] } }))).toMatch(/nothing to fix/);
});

const evil = "\u001b[2J\u202e'; rm -rf /\nnext";
const object = { resource: "deployments.apps", namespace: "n", name: evil };
const poisoned = checked("evil.check", "required", {
  is: "fail",
  message: evil,
  evidence: [{ object, path: evil, observed: evil, expected: evil }],
  fix: { is: "patch", risk: safe, object, type: "merge", patch: { metadata: { labels: { a: evil } } } },
});
const features = [{ feature: "deploy", state: "blocked", because: [{ message: evil }] }] as const;
const report = { ...sampleReport, addons: [], checks: [poisoned], features, hidden: [{ resource: evil, why: evil }] };

test.each([
  ["the report", formatReport(examinationOf({ report }), output)],
  ["fixes", formatFixes(examinationOf({ report }))],
  ["JUnit", formatJunit(examinationOf({ report }))],
])("what a cluster calls its objects can't steer a terminal by %s", (_, text) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that must not be there
  expect(stripVTControlCharacters(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\u001b\[2J/);
  if (!text.startsWith("<?xml")) expect(text).not.toContain("\u202e");
});

test("what a cluster calls its objects stays one word of the shell's command", () => {
  const line = formatFixes(examinationOf({ report }))
    .split("\n")
    .find((each) => each.startsWith("kubectl patch"));
  expect(line).toContain(`'\\''; rm -rf /`);
  const words = execFileSync("sh", ["-c", `printf '%s\\n' ${line?.replace("kubectl patch", "")}`], {
    encoding: "utf8",
  });
  expect(JSON.parse(words.trimEnd().split("\n").at(-1) ?? "")).toEqual({ metadata: { labels: { a: evil } } });
});
