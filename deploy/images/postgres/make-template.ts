// Makes a data folder that nobody has used yet, for hubs to copy. A program in an image can't make one: `initdb` wants
// a shell and a name for its user. It is made by this machine's binaries and used on every architecture: PostgreSQL's
// files are the same on all of 64 bits that store the low byte first, and the control file says how they are laid out,
// so that a server for which that isn't true refuses to start.
import { execFile } from "node:child_process";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { compare, type TreeEntry } from "../contents/tree.ts";
import { imageErrors } from "../errors.ts";
import type { ImageLock, LockedNpmPackage } from "../lock.ts";
import { arches, nodeArch } from "../platform.ts";
import { readPostgresPackage } from "./package.ts";
import { settleData } from "./settle-data.ts";

/** The password of the data folder's only user. Each hub sets another one in its copy before anybody can reach it. */
export const templatePassword = "template";

export interface Template {
  /** Paths are from the data folder. */
  readonly entries: readonly TreeEntry[];
  readonly digest: string;
}

/** Makes a folder of the newest version, which comes first. */
export async function makeTemplate({ versions }: Pick<ImageLock["postgres"], "versions">): Promise<Template> {
  const arch = arches.find((one) => nodeArch[one] === process.arch);
  const [newest] = versions;
  if (arch === undefined || newest === undefined)
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `PostgreSQL for ${process.arch}` });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-template-"));
  try {
    // Root's place is taken by another user on the way.
    await chmod(folder, 0o755);
    await unpack(newest.packages[arch], join(folder, "programs"));
    const data = join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
    if (user.uid !== undefined) await chown(data, user.uid, user.gid);
    const run = (program: string, args: readonly string[], input?: string) =>
      runProgram(join(folder, "programs", "bin", program), args, { ...user, cwd: data, input });
    await run("initdb", ["-D", data, ...settings]);
    await run("postgres", ["--single", "-D", data, "postgres"], `alter role fairlead password '${toVerifier()}'\n`);
    await settle(data);
    return await readTemplate(data);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Throws IMAGE_TEMPLATE_DIFFERS. */
export function checkTemplate(template: Template, pinned: string): Template {
  if (template.digest !== pinned) throw imageErrors.IMAGE_TEMPLATE_DIFFERS({ digest: template.digest, pinned });
  return template;
}

async function unpack(wanted: LockedNpmPackage, folder: string): Promise<void> {
  for (const [path, content] of await readPostgresPackage(wanted)) {
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, content, { mode: path.startsWith("bin/") ? 0o755 : 0o644 });
  }
}

/** Runs it in the plain locale. Initdb puts this machine's locales into a table, and finds none without a PATH. */
async function runProgram(
  program: string,
  args: readonly string[],
  { input = "", ...options }: { uid?: number; gid?: number; cwd: string; input?: string | undefined },
): Promise<void> {
  const env = { LC_ALL: "C", TZ: "UTC", PATH: "/nonexistent" };
  const running = promisify(execFile)(program, args, { ...options, env, timeout: 120_000 });
  running.child.stdin?.end(input);
  const { stderr } = await running;
  // Single-user mode ends well whatever its statement did.
  if (/^.*(?:ERROR|FATAL|PANIC): /m.test(stderr)) throw new Error(stderr);
}

/** The form in which PostgreSQL stores a password (RFC 5803), with a fixed salt instead of a random one. */
function toVerifier(): string {
  const salt = Buffer.from("fairlead template");
  const salted = pbkdf2Sync(templatePassword, salt, iterations, 32, "sha256");
  const hmac = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(hmac("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${hmac("Server Key").toString("base64")}`;
}

/** Takes out the traces of this machine and of the moment. */
async function settle(data: string): Promise<void> {
  await settleData(data);
  // The server makes them again.
  const stale = ["pg_stat/pgstat.stat", "global/pg_internal.init", "postmaster.opts", "postmaster.pid"];
  for (const path of stale) await rm(join(data, path), { force: true });
  for (const database of await readdir(join(data, "base"))) {
    await rm(join(data, "base", database, "pg_internal.init"), { force: true });
  }
  // The hub gives all settings on the command line. initdb tried out how much memory this machine gives.
  await writeFile(join(data, "postgresql.conf"), "# The hub sets what it needs.\n");
  await writeFile(join(data, "pg_hba.conf"), "local all all scram-sha-256\n");
  await writeFile(join(data, "pg_ident.conf"), "");
}

async function readTemplate(data: string): Promise<Template> {
  const found = await readdir(data, { recursive: true, withFileTypes: true });
  const paths = found.map((entry) => {
    return { path: join(entry.parentPath, entry.name).slice(data.length + 1), isFolder: entry.isDirectory() };
  });
  const digest = createHash("sha256");
  const entries: TreeEntry[] = [];
  for (const { path, isFolder } of paths.sort((a, b) => compare(a.path, b.path))) {
    digest.update(`${path}\n`);
    if (isFolder) {
      entries.push({ kind: "folder", path });
      continue;
    }
    const content = await readFile(join(data, path));
    digest.update(`${content.length}\n`).update(content);
    entries.push({ kind: "file", path, isExecutable: false, read: async () => content });
  }
  return { entries, digest: `sha256:${digest.digest("hex")}` };
}

/** packages/hub/src/platform/store/postgres/initialize.ts has the same, for places without a template. */
const settings = [
  "--username",
  "fairlead",
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
  "--auth",
  "trust",
  "--no-sync",
  "--no-instructions",
];
const iterations = 4_096;
/** The number that Linux gives to nobody in particular. */
const nobody = 65_534;
