import { expect, test } from "vitest";
import { catalogue } from "../addons/index.ts";
import { examineAddon } from "../testing/examine-addon.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { judgeVersion } from "./judge-version.ts";

const charts = { versionRange: ">=7.0.0 <11.0.0" };
const programs = { versionRange: ">=1.14.0 <2.0.0", isVersionOfProgram: true } as const;

test.each([
  [charts, { chartVersion: "7.0.0" }, "within"],
  [charts, { chartVersion: "10.99.1+up3" }, "within"],
  [charts, { chartVersion: "6.11.1" }, "behind"],
  [charts, { chartVersion: "7.0.0-rc.1" }, "behind"],
  [charts, { chartVersion: "11.0.0" }, "ahead"],
  [charts, { chartVersion: "11.0.0-beta.2" }, "within"],
  [charts, { version: "9.0.0" }, "unknown"],
  [charts, { chartVersion: "latest" }, "unknown"],
  [programs, { version: "1.19.2" }, "within"],
  [programs, { version: "1.19.2", chartVersion: "v2.1.0" }, "ahead"],
  [programs, {}, "unknown"],
  [undefined, { version: "1.0.0", chartVersion: "1.0.0" }, "unknown"],
] as const)("%j and %j: %s", (install, found, standing) => {
  expect(judgeVersion(install, found)).toBe(standing);
});

test("each range of the catalogue is one, and has the version that is tested", () => {
  const standings = catalogue.flatMap(({ id, install }) =>
    install ? [[id, judgeVersion(install, { chartVersion: install.version })]] : [],
  );
  expect(standings.length).toBeGreaterThan(20);
  expect(standings.filter(([, standing]) => standing !== "within")).toEqual([]);
});

test.each(catalogue.filter(({ install }) => install?.isVersionOfProgram).map((addon) => [addon.id, addon] as const))(
  "the chart of %s has its program's version, as a real installation shows",
  (_id, addon) => {
    const folder = addon.id.startsWith("istio") ? "istio" : addon.id;
    const { installation } = examineAddon(addon, readStandIn(`${folder}/chart`));
    expect(installation.chart).toEqual({ name: addon.install?.chart, version: installation.version });
  },
);
