// A bare repository whose commits tests make.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export interface TestRepository {
  readonly folder: string;
  /** The tree is these files and links, and nothing else. The branch is moved there by force. Returns the commit's id. */
  commit(tree: TestTree): Promise<string>;
  git(...args: readonly string[]): Promise<string>;
}

export interface TestTree {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Where they lead, by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Commits, by path. */
  readonly submodules?: Readonly<Record<string, string>>;
  readonly branch?: string;
}

/** At `ROOT/NAME`, such as `x.git`. */
export async function openTestRepository(root: string, name: string): Promise<TestRepository> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  const git = (...args: readonly string[]): Promise<string> => runGit(folder, args);
  await git("init", "--quiet", "--bare", "--initial-branch=main", ".");
  await git("config", "uploadpack.allowAnySHA1InWant", "true");
  return { folder, git, commit: (tree) => commitTree(folder, tree) };
}

async function commitTree(folder: string, tree: TestTree): Promise<string> {
  const { files, links = {}, submodules = {}, branch = "main" } = tree;
  const work = await mkdtemp(join(tmpdir(), "fairlead-commit-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await writeFile(join(work, path), text);
    }
    for (const [path, target] of Object.entries(links)) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await symlink(target, join(work, path));
    }
    const git = (...args: readonly string[]): Promise<string> =>
      runGit(folder, [`--work-tree=${work}`, ...args], { GIT_INDEX_FILE: `${work}.index` });
    await git("add", "--all", "--force", ".");
    for (const [path, id] of Object.entries(submodules))
      await git("update-index", "--add", "--cacheinfo", `160000,${id},${path}`);
    const id = await git("commit-tree", await git("write-tree"), "-m", "test");
    await git("update-ref", `refs/heads/${branch}`, id);
    return id;
  } finally {
    await rm(work, { recursive: true, force: true });
    await rm(`${work}.index`, { force: true });
  }
}

async function runGit(folder: string, args: readonly string[], also: Record<string, string> = {}): Promise<string> {
  const who = { NAME: "test", EMAIL: "test@example.com", DATE: "2026-01-01T00:00:00Z" };
  const names = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
    ...Object.fromEntries(names),
    ...also,
  };
  const { stdout } = await promisify(execFile)("git", [...args], { cwd: folder, env, timeout: 30_000 });
  return stdout.trim();
}
