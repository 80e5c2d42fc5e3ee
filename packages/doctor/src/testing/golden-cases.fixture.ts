// An addon's golden cases: each known shape of it is fit, and one changed value makes one check say something else.
import { expect, test } from "vitest";
import type { Addon } from "../catalogue/index.ts";
import type { AddonReport } from "../report/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import { allPass, type ExamineAddonOptions, examineAddon, setAt, verdictsOf } from "./examine-addon.fixture.ts";
import { fixesOf, hostileVariants, runFixes, smuggledOptions } from "./hostile-words.fixture.ts";
import { changed, readStandIn } from "./stand-ins.fixture.ts";

export interface Shape {
  /** The stand-in. */
  readonly of: string;
  /** None where a tag such as `latest` says nothing. */
  readonly version: string | undefined;
  readonly provenance: string | undefined;
}

export interface GoldenCase extends ExamineAddonOptions {
  /** Describes the case as a user would. */
  readonly title: string;
  readonly of: string;
  /** The one object that differs, the path of the value, and the value; undefined takes it away. */
  readonly change?: readonly [kind: string, name: string, path: string, value: unknown];
  /** Edits the objects instead, for a case that takes more than one value. */
  readonly edit?: (objects: readonly ClusterObject[]) => readonly ClusterObject[];
  /** The verdicts that aren't `pass`, or that are left out. */
  readonly verdicts?: Readonly<Record<string, "warn" | "fail" | "unknown" | "pass" | undefined>>;
  readonly state?: string;
}

export interface GoldenOptions extends ExamineAddonOptions {
  readonly shapes: readonly Shape[];
  readonly cases: readonly GoldenCase[];
  /** The objects that the addon's neighbours bring. */
  readonly beside?: readonly ClusterObject[];
}

export function testGolden(addon: Addon, { shapes, cases, beside = [], ...defaults }: GoldenOptions): void {
  test.each(shapes)("$of is fit", ({ of, version, provenance }) => {
    const report = examineAddon(addon, [...beside, ...readStandIn(of)], defaults);
    expect(verdictsOf(report)).toEqual(onlyThoseOf(report, allPass(addon)));
    expect(report.state).toBe(report.installation.presence.is === "provider-managed" ? "provider-managed" : "healthy");
    expect(report.installation.version).toBe(version);
    expect(report.installation.provenance?.is).toBe(provenance);
  });

  test.each(cases)("$title", ({ title: _title, of, change, edit, verdicts = {}, state, ...options }) => {
    const before = [...beside, ...readStandIn(of)];
    const objects = edit ? edit(before) : change ? applyChange(before, change) : before;
    const report = examineAddon(addon, objects, { ...defaults, ...options });
    const expected = onlyThoseOf(report, { ...allPass(addon), ...verdicts });
    expect(verdictsOf(report)).toEqual(expected);
    if (state !== undefined) expect(report.state).toBe(state);
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(verdicts)));
  });

  test("no name, namespace, label or host becomes a command or an option when people paste a fix", () => {
    const fixes = cases.flatMap(
      ({ of, change, edit, title: _title, verdicts: _verdicts, state: _state, ...options }) => {
        const before = [...beside, ...readStandIn(of)];
        const objects = edit ? edit(before) : change ? applyChange(before, change) : before;
        const examine = (variant: readonly ClusterObject[]) =>
          fixesOf(examineAddon(addon, variant, { ...defaults, ...options }));
        const text = JSON.stringify(examine(objects));
        return hostileVariants(objects, (word) => text.includes(word)).flatMap(examine);
      },
    );
    const distinct = [...new Map(fixes.map((fix) => [JSON.stringify(fix), fix])).values()];
    const { wasStolen, commands } = runFixes(distinct);
    expect(wasStolen).toBe(false);
    expect(commands.flatMap(smuggledOptions)).toEqual([]);
  });

  test("each check has a case in which it doesn't pass", () => {
    const failing = cases.flatMap(({ verdicts = {} }) =>
      Object.entries(verdicts).flatMap(([id, is]) => (is === "fail" || is === "warn" ? [id] : [])),
    );
    expect(new Set(failing)).toEqual(new Set(addon.checks.map(({ id }) => id)));
  });
}

function applyChange(objects: readonly ClusterObject[], change: NonNullable<GoldenCase["change"]>): ClusterObject[] {
  const [kind, name, path, value] = change;
  return changed(objects, kind, name, setAt(path, value));
}

/** A check that doesn't apply isn't said to pass. */
function onlyThoseOf(
  report: AddonReport,
  verdicts: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const said = new Set(report.checks.map(({ check }) => check.id));
  return Object.fromEntries(
    Object.entries(verdicts).flatMap(([id, is]) => (is !== undefined && said.has(id) ? [[id, is]] : [])),
  );
}
