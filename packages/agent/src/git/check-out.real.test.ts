// Real git, over HTTP and over SSH.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitHttp, type GitSsh, openTestRepository, startGitHttp, startGitSsh } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { policyDenied } from "../policy/index.ts";
import { type CheckedOut, type CheckOutOptions, checkOut } from "./check-out.ts";
import { openTestGitPrograms, type TestGitPrograms } from "./git.fixture.ts";

const password = 'p@ss w/ö"rd';
const values: Record<string, string> = { password, wrong: "other" };
let root: string;
let http: GitHttp;
let ssh: GitSsh;
let programs: TestGitPrograms;
const lines: string[] = [];
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fairlead-git-"));
  http = await startGitHttp({ root, password: { username: "git", password } });
  ssh = await startGitSsh({ root });
  Object.assign(values, { key: ssh.privateKey, otherKey: ssh.otherKey.privateKey });
  programs = await openTestGitPrograms();
});
afterAll(async () => {
  await programs?.[Symbol.asyncDispose]();
  await ssh?.[Symbol.asyncDispose]();
  await http?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const credentials = { password: "${secret:password}" };

test("scenario 21: a commit comes over HTTP with a password that neither arguments, nor the log, nor the tree show", async () => {
  const repository = await openTestRepository(root, "a.git");
  const first = await repository.commit({ files: { "main.tf": "one", "sub/x": "x" }, links: { link: "sub/x" } });
  await repository.commit({ files: { "main.tf": "two" } });
  const { folder, commit } = await take({ url: http.url("a.git"), commit: first, credentials });
  expect(commit).toBe(first);
  expect((await readdir(folder)).sort()).toEqual(["link", "main.tf", "sub"]);
  expect(await readFile(join(folder, "main.tf"), "utf8")).toBe("one");
  const encoded = Buffer.from(`git:${password}`).toString("base64");
  const shown = JSON.stringify([programs.seen, lines, http.seen.map(({ path }) => path)]);
  for (const secret of [password, encoded, encodeURIComponent(password)]) expect(shown).not.toContain(secret);
  expect(http.seen.map(({ authorization }) => authorization)).toContain(`Basic ${encoded}`);
});

test("scenario 21: a commit comes over SSH from a host with a pinned key", async () => {
  const repository = await openTestRepository(root, "s.git");
  const commit = await repository.commit({ files: { "main.tf": "ssh" } });
  const { folder } = await take(overSsh({ commit }));
  expect(await readFile(join(folder, "main.tf"), "utf8")).toBe("ssh");
  expect(await readdir(programs.folder)).not.toContainEqual(expect.stringMatching(/^git-/));
});

test("scenario 21: a branch is what it is at that moment, and a commit stays what it was when the branch is forced elsewhere", async () => {
  const repository = await openTestRepository(root, "f.git");
  const before = await repository.commit({ files: { x: "before" }, branch: "live" });
  const taken = await take({ url: http.url("f.git"), ref: "live", credentials });
  expect(taken.commit).toBe(before);
  const after = await repository.commit({ files: { x: "after" }, branch: "live" });
  expect((await take({ url: http.url("f.git"), ref: "live", credentials })).commit).toBe(after);
  expect((await take({ url: http.url("f.git"), commit: before, credentials })).commit).toBe(before);
  await repository.git("reflog", "expire", "--expire=now", "--all");
  await repository.git("prune", "--expire=now");
  await expect(take({ url: http.url("f.git"), commit: before, credentials })).rejects.toMatchObject({
    code: "GIT_COMMIT_MISSING",
  });
});

test.each([
  ["a wrong password", () => ({ credentials: { password: "${secret:wrong}" } }), "GIT_CREDENTIALS_REFUSED"],
  ["no password", () => ({ credentials: undefined }), "GIT_CREDENTIALS_REFUSED"],
  ["another repository", () => ({ url: http.url("none.git") }), "GIT_REPOSITORY_MISSING"],
  ["another branch", () => ({ ref: "none" }), "GIT_COMMIT_MISSING"],
  ["a host that doesn't answer", () => ({ url: "http://127.0.0.1:9/a.git" }), "GIT_UNREACHABLE"],
  ["a host that isn't allowed", () => ({ url: "https://evil.example/a.git" }), "POLICY_DENIED"],
  ["another SSH key", () => overSsh({ credentials: { privateKey: "${secret:otherKey}" } }), "GIT_CREDENTIALS_REFUSED"],
  [
    "a host key that has changed",
    () => overSsh({ knownHosts: withKey(ssh.otherKey.publicKey) }),
    "GIT_HOST_KEY_REFUSED",
  ],
  ["an unknown host", () => overSsh({ knownHosts: "" }), "GIT_HOST_KEY_REFUSED"],
  ["files", () => ({ url: "file:///etc" }), "GIT_ADDRESS_INVALID"],
  ["helpers", () => ({ url: "ext::sh -c id" }), "GIT_ADDRESS_INVALID"],
])("scenario 21: %s ends in a code of its own", async (_, differently, code) => {
  const repository = await openTestRepository(root, "e.git");
  await repository.commit({ files: { x: "x" } });
  await openTestRepository(root, "s.git").then((other) => other.commit({ files: { x: "x" } }));
  const options = { url: http.url("e.git"), ref: "main", credentials, ...differently() };
  await expect(take(options)).rejects.toMatchObject({ code });
});

test.each([
  ["a link out of the tree", { links: { "a/b": "../../outside" } }, "GIT_LINK_LEAVES"],
  ["a link to a file of the machine", { links: { passwd: "/etc/passwd" } }, "GIT_LINK_LEAVES"],
  ["a link by way of another", { links: { up: "a/..", "a/out": "../up/../.." } }, "GIT_LINK_LEAVES"],
  ["a submodule", { submodules: { module: "1".repeat(40) } }, "GIT_SUBMODULES"],
  ["too large a file", { files: { big: "x".repeat(200_000) } }, "GIT_TOO_LARGE"],
])("scenario 21: %s is refused", async (_, tree, code) => {
  const repository = await openTestRepository(root, "t.git");
  const commit = await repository.commit({ files: { "a/x": "x" }, ...tree });
  const limits = { sizeBytes: 100_000, files: 100, timeMs: 30_000 };
  await expect(take({ url: http.url("t.git"), commit, credentials, limits })).rejects.toMatchObject({ code });
});

test("pointers of Git LFS stay pointers, ignored submodules are told, and only wanted folders are there", async () => {
  const repository = await openTestRepository(root, "p.git");
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12\n`;
  const files = { "a/x": "x", "b/y": pointer, "b/.gitattributes": "* filter=lfs\n", "c/z": "z" };
  const commit = await repository.commit({ files, submodules: { "b/m": "1".repeat(40) } });
  const how = { subPaths: ["a", "b"], submodules: "ignore" } as const;
  const { folder } = await take({ url: http.url("p.git"), commit, credentials, ...how });
  expect((await readdir(folder)).sort()).toEqual(["a", "b"]);
  expect(await readFile(join(folder, "b/y"), "utf8")).toBe(pointer);
  expect(lines).toContain("git: 1 files are pointers of Git LFS, whose contents aren't fetched");
  expect(lines).toContain("git: the submodule b/m isn't fetched");
});

function overSsh(differently: Partial<CheckOutOptions>) {
  const how = { credentials: { privateKey: "${secret:key}" }, knownHosts: ssh.knownHosts };
  const ref = differently.commit === undefined ? "main" : undefined;
  return { url: ssh.url("s.git"), ref, ...how, ...differently };
}

function withKey(publicKey: string): string {
  return `${ssh.knownHosts.split(" ")[0]} ${publicKey}`;
}

function take(options: Pick<CheckOutOptions, "url"> & Partial<CheckOutOptions>): Promise<CheckedOut> {
  return checkOut({
    programs,
    folder: join(programs.folder, `tree-${count++}`),
    signal: new AbortController().signal,
    secrets: {
      resolve: async (text) => text.replace(/\$\{secret:(\w+)\}/g, (_, name: string) => values[name] ?? "?"),
      conceal: () => undefined,
    },
    mayUse(host) {
      if (host !== "127.0.0.1") throw policyDenied({ rule: "execute.git.hosts.allow", reason: "not allowed" });
    },
    log: { line: (text) => void lines.push(text) },
    ...options,
  });
}
