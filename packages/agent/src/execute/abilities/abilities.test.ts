// The programs are scripts of a line each. The test of the image that carries the real ones shows that they answer so.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAbilities } from "./abilities.ts";
import { isFit, programNeeds } from "./needs.ts";

let folder = "";
const kinds = ["manifests", "helm", "tofu", "flow"];
const good = { helm: "v4.3.1+g3c8a0c7", tofu: "OpenTofu v1.12.6\non linux_amd64", git: "git version 2.39.5" };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-abilities-"));
  for (const name of ["bin", "work"]) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("kinds whose programs are there can be run, and what was found is told", async () => {
  install(good);
  const { abilities, told } = await find();
  expect(kinds.filter(abilities.canRun)).toEqual(kinds);
  expect(Object.fromEntries(abilities.programs)).toEqual({ helm: "4.3.1", tofu: "1.12.6", git: "2.39.5" });
  expect(told).toEqual([
    expect.objectContaining({ kinds, programs: { helm: "4.3.1", tofu: "1.12.6", git: "2.39.5" } }),
  ]);
  expect(readdirSync(join(folder, "work"))).toEqual([]);
});

test.each([
  ["no programs", {}, ["manifests", "flow"], { helm: "PROCESS_PROGRAM_MISSING", tofu: "PROCESS_PROGRAM_MISSING" }],
  ["no git", { ...good, git: undefined }, ["manifests", "helm", "flow"], { tofu: "PROCESS_PROGRAM_MISSING" }],
  ["a Helm of before", { ...good, helm: "v3.16.4" }, ["manifests", "tofu", "flow"], { helm: "PROCESS_VERSION_UNFIT" }],
  ["a Helm to come", { ...good, helm: "v5.0.0" }, ["manifests", "tofu", "flow"], { helm: "PROCESS_VERSION_UNFIT" }],
  [
    "something else",
    { ...good, tofu: "Terraform v1.5" },
    ["manifests", "helm", "flow"],
    { tofu: "PROCESS_VERSION_UNFIT" },
  ],
])("with %s only the other kinds can be run, and it says why", async (_, programs, able, codes) => {
  install(programs);
  const { abilities, told } = await find();
  expect(kinds.filter(abilities.canRun)).toEqual(able);
  expect(told.slice(1)).toEqual(Object.entries(codes).map(([kind, code]) => expect.objectContaining({ kind, code })));
});

test("a program that fails or doesn't end isn't there; the agent starts all the same", async () => {
  install({ ...good, helm: undefined, git: undefined });
  writeProgram("helm", "echo v4.3.1; exit 1");
  writeProgram("git", "echo git version 2.39.5; sleep 600");
  const impatient = AbortSignal.timeout(500);
  const { abilities } = await find({ signal: impatient });
  expect([...abilities.programs.keys()]).toEqual(["tofu"]);
});

test("what the policy doesn't allow isn't missed", async () => {
  const { abilities, told } = await find({ isAllowed: (kind) => kind === "manifests" });
  expect(told).toHaveLength(1);
  expect(abilities.canRun("helm")).toBe(false);
});

test("a kind that isn't run here asks for no program", async () => {
  const { abilities, told } = await find({ kinds: ["manifests"] });
  expect([abilities.programs.size, told.length]).toEqual([0, 1]);
});

test("a program that comes later is found, and told once", async () => {
  install({ helm: good.helm });
  const clock = createMovableClock();
  const { abilities, told } = await find({ clock });
  const end = new AbortController();
  const kept = abilities.keep(end.signal);
  told.length = 0;
  install(good);
  // It ends when nothing is missing any more.
  const isOver = kept.then(() => true);
  while (!(await Promise.race([isOver, wait(20)]))) clock.move(10_000);
  expect(kinds.filter(abilities.canRun)).toEqual(kinds);
  expect(told).toHaveLength(1);
});

test("versions are compared as numbers", () => {
  const [helm] = programNeeds.helm;
  if (helm === undefined) throw new Error("Helm needs no program");
  const fits = ["3.16.9", "3.17.0", "3.17.2", "3.100.0", "4.0.0", "4.10.1", "5.0.0"].filter((one) => isFit(helm, one));
  expect(fits).toEqual(["3.17.0", "3.17.2", "3.100.0", "4.0.0", "4.10.1"]);
});

async function find(more: Partial<Parameters<typeof findAbilities>[0]> = {}) {
  const told: object[] = [];
  const keep = (fields: object): void => void told.push(fields);
  const abilities = await findAbilities({
    kinds,
    isAllowed: () => true,
    folder: join(folder, "work"),
    clock: systemClock,
    fence: async () => undefined,
    environment: { PATH: join(folder, "bin") },
    log: { info: keep, warn: keep },
    signal: new AbortController().signal,
    ...more,
  });
  return { abilities, told };
}

function install(programs: Readonly<Record<string, string | undefined>>): void {
  for (const [name, says] of Object.entries(programs)) {
    if (says !== undefined) writeProgram(name, `echo '${says}'`);
  }
}

function writeProgram(name: string, script: string): void {
  const path = join(folder, "bin", name);
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  chmodSync(path, 0o755);
}
