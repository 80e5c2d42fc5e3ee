// All arguments that Helm 3 and Helm 4 get.
import { expect, test } from "vitest";
import { type HelmMajor, rollbackArguments, testArguments, uninstallArguments, upgradeArguments } from "./arguments.ts";
import { chart } from "./harness.fixture.ts";
import { parseHelmSpec } from "./spec.ts";
import type { RollbackAction, UninstallAction, UpgradeAction } from "./types.ts";

const common = "--namespace shop --timeout 60s";
const upgraded = `upgrade web /c --install ${common} --values - --reset-values --history-max 10 --description d`;

test.each([
  [4, {}, {}, `${upgraded} --wait=watcher --server-side=auto`],
  [3, {}, {}, `${upgraded} --wait`],
  [4, { wait: false }, {}, `${upgraded} --wait=hookOnly --server-side=auto`.replace("60s", "300s")],
  [3, { wait: false }, {}, upgraded.replace("60s", "300s")],
  [
    4,
    { wait: { timeoutSeconds: 60, jobs: true } },
    {},
    `${upgraded} --wait=watcher --wait-for-jobs --server-side=auto`,
  ],
  [3, { wait: { timeoutSeconds: 60, jobs: true } }, {}, `${upgraded} --wait --wait-for-jobs`],
  [4, { forceConflicts: true }, {}, `${upgraded} --wait=watcher --server-side=auto --force-conflicts`],
  [
    4,
    { forceConflicts: true },
    { isClientSide: true },
    `${upgraded} --wait=watcher --server-side=true --force-conflicts`,
  ],
  [3, { forceConflicts: true }, { isClientSide: true }, `${upgraded} --wait`],
  [
    4,
    { createNamespace: true, skipCrds: true, skipHooks: true },
    {},
    `${upgraded} --wait=watcher --create-namespace --skip-crds --no-hooks --server-side=auto`,
  ],
  [4, { atomic: true }, {}, `${upgraded} --wait=watcher --server-side=auto`],
  [4, {}, { isDryRun: true }, `${upgraded} --wait=watcher --server-side=auto --dry-run=server --output json`],
  [3, {}, { isDryRun: true }, `${upgraded} --wait --dry-run=server --output json`],
] as const)("upgrade, Helm %i, %j %j", (major: HelmMajor, given, more, told) => {
  const spec = parseHelmSpec({ ...web, chart: chart({}), values: { password: "x" }, ...given });
  const action = spec.action as UpgradeAction;
  const all = { major, spec, action, chartPath: "/c", description: "d", isClientSide: false, ...more };
  expect(upgradeArguments(all).join(" ")).toBe(told);
});

test.each([
  [4, {}, `rollback web 3 ${common} --history-max 10 --description d --wait=watcher --server-side=auto`],
  [3, {}, `rollback web 3 ${common} --history-max 10 --wait`],
  [
    4,
    { forceConflicts: true, skipHooks: true },
    `rollback web 3 ${common} --history-max 10 --description d --wait=watcher --no-hooks --server-side=auto --force-conflicts`,
  ],
] as const)("rollback, Helm %i, %j", (major: HelmMajor, given, told) => {
  const spec = parseHelmSpec({ ...web, action: "rollback", ...given });
  const action = spec.action as RollbackAction;
  const all = { major, spec, action, revision: 3, description: "d", isClientSide: false };
  expect(rollbackArguments(all).join(" ")).toBe(told);
});

test.each([
  [4, {}, `uninstall web ${common} --description d --wait=watcher`],
  [3, {}, `uninstall web ${common} --description d --wait`],
  [
    3,
    { wait: false, keepHistory: true },
    `uninstall web ${common} --description d --keep-history`.replace("60s", "300s"),
  ],
] as const)("uninstall, Helm %i, %j", (major: HelmMajor, given, told) => {
  const spec = parseHelmSpec({ ...web, action: "uninstall", ...given });
  const all = { major, spec, action: spec.action as UninstallAction, description: "d" };
  expect(uninstallArguments(all).join(" ")).toBe(told);
});

test("test", () => {
  const spec = parseHelmSpec({ ...web, action: "test" });
  expect(testArguments({ major: 4, spec, description: "d" }).join(" ")).toBe(`test web ${common}`);
});

const web = { release: "web", namespace: "shop", wait: { timeoutSeconds: 60 } };
