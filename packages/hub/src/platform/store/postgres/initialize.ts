// Makes the server's data folder. It appears under its own name only when it is whole and on disk, so a kill halfway

// leaves nothing broken.
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { userUnknown } from "../errors.ts";
import { exists } from "../exists.ts";
import { type Account, giveTo, isUserKnown, runAs } from "./account.ts";
import { type Binaries, toEnvironment } from "./binaries.ts";
import { endOrphans, endServer } from "./end-server.ts";
import { launch } from "./launch.ts";
import { draftPassword, keepPassword, toConnection } from "./password.ts";
import type { PostgresPaths } from "./paths.ts";
import { accessRules, databaseName, userName } from "./settings.ts";
import { makeSocketFolder } from "./socket-folder.ts";

export interface Making {
  readonly places: PostgresPaths;
  readonly binaries: Binaries;
  readonly account: Account;
  /** True when the new folder is to survive a power cut. */
  readonly isDurable: boolean;
}

export async function initialize(making: Making): Promise<void> {
  const { places, binaries, account, isDurable } = making;
  const draft = `${places.dataFolder}.new`;
  if (await exists(draft)) await endOrphans(draft);
  await rm(draft, { recursive: true, force: true });
  if (binaries.template === undefined) await runInitdb(making, draft);
  else await copyTemplate(binaries.template, draft, account);
  // The password of a template is everybody's, so each folder gets one of its own.
  const password = await draftPassword(places);
  const statements = [`create database ${databaseName}`, toStatement(password)];
  if (binaries.template !== undefined && needsServer(account)) {
    const templatePassword = await readTemplatePassword(binaries.template);
    await runInServer({ ...making, places: { ...places, dataFolder: draft } }, { templatePassword, statements });
  } else await runSingle({ ...making, dataFolder: draft }, statements);
  if (isDurable) await syncFolder(draft);
  await rename(draft, places.dataFolder);
  await keepPassword(places);
  if (isDurable) await syncOne(dirname(places.dataFolder));
}

/** Repairs a folder whose password got lost, as when a backup left it out. No server may run on it. */
export async function setPassword(making: Making): Promise<void> {
  const { places } = making;
  const password = await draftPassword(places);
  await runSingle({ ...making, dataFolder: places.dataFolder }, [toStatement(password)]);
  await keepPassword(places);
}

function toStatement(password: string): string {
  return `alter role ${userName} password '${password}'`;
}

async function runInitdb({ binaries, account, places }: Making, draft: string): Promise<void> {
  if (needsServer(account)) throw userUnknown();
  await mkdir(draft, { mode: 0o700 });
  await giveTo(account, draft);
  const args = [
    "-D",
    draft,
    "--username",
    userName,
    "--encoding",
    "UTF8",
    "--locale",
    "C",
    "--locale-provider",
    "builtin",
    "--builtin-locale",
    "C.UTF-8",
    "--data-checksums",
    "--wal-segsize",
    "4",
    // The data folder's own rules aren't used. Initdb needs `trust` to make a user without a password.
    "--auth",
    "trust",
    "--no-sync",
    "--no-instructions",
  ];
  await finish(
    spawnProgram({ binaries, account }, "initdb", args, { cwd: places.root, stdio: ["ignore", "ignore", "pipe"] }),
  );
}

async function copyTemplate(template: string, draft: string, account: Account): Promise<void> {
  await cp(template, draft, { recursive: true });
  // An image may have made it readable for all; the server wants it for itself.
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
  await chmod(draft, 0o700);
  await giveTo(account, draft);
}

/** Single-user mode wants to know the user's name. */
function needsServer(account: Account): boolean {
  return account.kind === "own" && !isUserKnown();
}

async function readTemplatePassword(template: string): Promise<string> {
  try {
    return (await readFile(`${template}.password`, "utf8")).trim();
  } catch (error) {
    throw userUnknown(error);
  }
}

/** The draft has a server of its own for it, on a socket that only the hub's user can reach. */
async function runInServer(
  making: Making,
  options: { readonly templatePassword: string; readonly statements: readonly string[] },
): Promise<void> {
  const { places } = making;
  await makeSocketFolder(making);
  await writeFile(places.accessFile, accessRules, { mode: 0o644 });
  const connection = { ...toConnection(places, options.templatePassword), database: "postgres" };
  const { process, guard } = await launch({ ...making, isDurable: false }, { connection });
  using _guard = guard;
  const client = new Client({ ...connection, query_timeout: programTimeoutMs });
  client.on("error", () => undefined); // the statement says it, too
  try {
    await client.connect();
    for (const statement of options.statements) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
    await endServer(process);
  }
}

/** Single-user mode: no server, no socket, no password. */
async function runSingle(
  making: Making & { readonly dataFolder: string },
  statements: readonly string[],
): Promise<void> {
  if (needsServer(making.account)) throw userUnknown();
  const args = ["--single", "-D", making.dataFolder, "-c", "dynamic_shared_memory_type=mmap", "-j", "postgres"];
  const child = spawnProgram(making, "postgres", args, { cwd: making.places.root, stdio: ["pipe", "ignore", "pipe"] });
  // With -j a statement ends at a semicolon and an empty line.
  child.stdin?.end(statements.map((statement) => `${statement};\n\n`).join(""));
  await finish(child);
}

function spawnProgram(
  { binaries, account }: Pick<Making, "binaries" | "account">,
  name: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly stdio: ["ignore" | "pipe", "ignore", "pipe"] },
): ChildProcess {
  const { command, args: all, options: as } = runAs(account, join(binaries.binDir, name), args);
  const env = { LC_ALL: "C", PATH: "/usr/bin:/bin", ...toEnvironment(binaries.libraryFolders) };
  return spawn(command, all, { ...as, ...options, env, timeout: programTimeoutMs, killSignal: "SIGKILL" });
}

/** Throws the program's complaint. Single-user mode ends well whatever its statement did. */
async function finish(child: ChildProcess): Promise<void> {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-4_000);
  });
  child.stdin?.on("error", () => undefined); // it ended early, and its exit tells
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => resolve(exit));
  });
  const complaint = /^.*(?:ERROR|FATAL|PANIC): .*$/m.exec(output)?.[0];
  if (code !== 0 || complaint !== undefined) throw new Error(complaint ?? output.trim().split("\n").at(-1));
}

/** The bytes of all files, then the names in all folders. */
async function syncFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) await syncOne(join(entry.parentPath, entry.name));
  await syncOne(folder);
}

async function syncOne(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

const programTimeoutMs = 120_000;
