// `npm test`: every check and every test. `npm test -- --changed [COMMIT]`: those of the rooms that differ from the commit
// (HEAD unless named), which takes a minute or two. Other arguments go to vitest.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createVitest } from "vitest/node";
import { readImportGraph } from "./import-graph.ts";
import { roomsOf, selectTests } from "./select-tests.ts";

const root = join(import.meta.dirname, "..");
const args = process.argv.slice(2);
const at = args.indexOf("--changed");
process.exitCode = at === -1 ? testAll(args) : await testChanged(args[at + 1] ?? "HEAD");

function testAll(args: readonly string[]): number {
  for (const command of ["npm run -s check", "npm run -s build:run"]) {
    const code = run(...split(command));
    if (code !== 0) return code;
  }
  return run("vitest", ["run", ...args]);
}

async function testChanged(commit: string): Promise<number> {
  const changed = findChanged(commit);
  if (changed === undefined) return 1;
  if (changed.length === 0) {
    console.log(`Nothing differs from ${commit}.`);
    return 0;
  }
  const sources = changed.filter((file) => /\.[cm]?ts$/.test(file));
  const commands: [string, string[]][] = [
    split("npm run -s build:run"),
    split("tsc -p tsconfig.tests.json"),
    ["biome", ["check", "--no-errors-on-unmatched", "--files-ignore-unknown=true", ...changed]],
    ...(sources.length > 0 ? [["oxlint", ["--type-aware", "--deny-warnings", ...sources]] as [string, string[]]] : []),
  ];
  for (const [command, commandArgs] of commands) {
    const code = run(command, commandArgs);
    if (code !== 0) return code;
  }
  return await runRelated(changed);
}

async function runRelated(changed: readonly string[]): Promise<number> {
  const vitest = await createVitest("test", { root, watch: false });
  try {
    await vitest.standalone();
    const all = await vitest.globTestSpecifications();
    const { selected, leftOut } = selectTests({ all, distances: findDistances(changed), changed, root });
    console.log(`Rooms: ${roomsOf(changed).join(", ") || "none"}.`);
    if (leftOut > 0) {
      console.log(
        `Left out: ${leftOut} files that this change is in, further away or in whole hubs and programs; npm test runs them.`,
      );
    }
    if (selected.length === 0) {
      console.log("0 passed, 0 failed, 0 skipped");
      return 0;
    }
    await vitest.runTestSpecifications([...selected]);
    return vitest.state.getCountOfFailedTests() > 0 || vitest.state.getUnhandledErrors().length > 0
      ? 1
      : Number(process.exitCode ?? 0);
  } finally {
    await vitest.close();
  }
}

function findDistances(changed: readonly string[]): ReadonlyMap<string, number> {
  const listed = read(["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.ts", "*.mjs"]) ?? [];
  // Deleted files are listed until they are committed.
  const files = listed.filter((file) => existsSync(join(root, file)));
  const readText = (file: string): string => readFileSync(join(root, file), "utf8");
  return readImportGraph({ files, read: readText, modules: findModules() }).reach(changed);
}

/** From each specifier of the workspace's packages to its source. */
function findModules(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const file of read(["ls-files", "packages/*/package.json"]) ?? []) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as PackageFile;
    for (const [part, places] of Object.entries(exports)) {
      const source = places["@fairlead/source"];
      if (source !== undefined) modules.set(join(name, part), join(dirname(file), source));
    }
  }
  return modules;
}

interface PackageFile {
  readonly name: string;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Paths below the root of what was changed, added or not committed yet; what was deleted is not among them. */
function findChanged(commit: string): string[] | undefined {
  const differing = read(["diff", "--name-only", "--diff-filter=d", commit, "--"]);
  const added = read(["ls-files", "--others", "--exclude-standard"]);
  if (differing === undefined || added === undefined) return undefined;
  return [...new Set([...differing, ...added])].sort();
}

function read(gitArgs: readonly string[]): string[] | undefined {
  const { status, stdout } = spawnSync("git", gitArgs, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : undefined;
}

function run(command: string, commandArgs: readonly string[]): number {
  const { status, error } = spawnSync(command, commandArgs, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  return status ?? 1;
}

function split(command: string): [string, string[]] {
  const [program = "", ...rest] = command.split(" ");
  return [program, rest];
}
