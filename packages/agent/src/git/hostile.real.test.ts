// Repositories of somebody who wants more than to be checked out. Each ends in a code, takes little, and leads nowhere else.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitHttp, openTestRepository, startGitHttp, type TestRepository } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Place, redirectTo, startPlace } from "../execute/helm/chart/web.fixture.ts";
import { type CheckedOut, type CheckOutOptions, checkOut } from "./check-out.ts";
import { openTestGitPrograms, type TestGitPrograms } from "./git.fixture.ts";

const undo = new AsyncDisposableStack();
let root: string;
let http: GitHttp;
let other: Place;
let repository: TestRepository;
let programs: TestGitPrograms;
let lines: string[] = [];
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fairlead-git-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  http = undo.use(await startGitHttp({ root }));
  other = undo.use(await startPlace());
  repository = await openTestRepository(root, "h.git");
  programs = undo.use(await openTestGitPrograms());
});
afterAll(() => undo.disposeAsync());

test.each([
  ["leads out once something is there", { "a/b/up": "..", z: "a/b/up/../../fairlead-later" }, "GIT_LINK_LEAVES"],
  ["leads to itself over another", { a: "b/../../c", b: "a" }, "GIT_LINK_LEAVES"],
  ["is absolute, by way of others", { a: "b", b: "/etc" }, "GIT_LINK_LEAVES"],
  ["leads to git's own folder", { a: ".git/config" }, "GIT_LINK_LEAVES"],
])("a link that %s is refused", async (_, links, code) => {
  const commit = await repository.commit({ files: { "a.txt": "a" }, links });
  await expect(take({ commit })).rejects.toMatchObject({ code });
});

test("links that stay in the tree stay, also to nothing", async () => {
  const links = { "a/b/one": "../c/nothing", two: "a/b/one", round: "round", three: "a/../x" };
  const commit = await repository.commit({ files: { x: "x" }, links });
  const { folder } = await take({ commit });
  expect((await readdir(folder)).sort()).toEqual(["a", "round", "three", "two", "x"]);
});

test("addresses of submodules, filters, hooks and configuration in a tree do nothing", async () => {
  const mark = join(root, "mark");
  const run = `touch ${mark}`;
  const modules = ["ext::sh -c touch% x", `file://${root}/h.git`, `${other.url}/m.git`, "-u./x"].map(
    (url, index) => `[submodule "${index}"]\n path = m${index}\n url = ${url}\n update = !${run}\n`,
  );
  const config = `[url "${other.url}/"]\n insteadOf = http://\n[filter "x"]\n smudge = ${run}\n process = ${run}\n`;
  const hook = `#!/bin/sh\n${run}\n`;
  const commit = await repository.commit({
    files: {
      ".gitmodules": modules.join(""),
      ".gitconfig": config,
      config,
      ".gitattributes": "* filter=x diff=x merge=x\n",
      "hooks/post-checkout": hook,
      "hooks/reference-transaction": hook,
      ".lfsconfig": `[lfs]\nurl = ${other.url}\n`,
    },
    submodules: { m0: "1".repeat(40), m1: "2".repeat(40) },
  });
  await expect(take({ commit })).rejects.toMatchObject({ code: "GIT_SUBMODULES" });
  const { folder } = await take({ commit, submodules: "ignore" });
  expect(await readdir(join(folder, "m0"))).toEqual([]);
  expect(other.asked).toEqual([]);
  expect(await readdir(root)).not.toContain("mark");
});

test.each([".git", ".GIT", "git~1", ".git ", ".gi\u200ct", "..", "."])(
  "a file or folder of the name %j is never written",
  async (name) => {
    const blob = await hash("[core]\n\tfsmonitor = touch /tmp/fairlead-mark\n");
    const inner = await makeTree([{ mode: "100644", type: "blob", id: blob, name: "config" }]);
    for (const entry of [
      { mode: "040000", type: "tree", id: inner, name },
      { mode: "100644", type: "blob", id: blob, name },
    ]) {
      const commit = await commitTree(await makeTree([entry]));
      await expect(take({ commit })).rejects.toMatchObject({ code: "GIT_FAILED" });
    }
  },
);

test("names with line breaks are files like others, and fake no line of the log", async () => {
  const blob = await hash("x");
  const name = "a\nrun: done";
  const tree = await makeTree([
    { mode: "100644", type: "blob", id: blob, name: "b\nc" },
    { mode: "160000", type: "commit", id: "1".repeat(40), name },
  ]);
  const { folder } = await take({ commit: await commitTree(tree), submodules: "ignore" });
  expect(await readdir(folder)).toContain("b\nc");
  expect(lines).toContain('git: the submodule "a\\nrun: done" isn\'t fetched');
  expect(lines.join("")).not.toContain("\n");
  const link = await commitTree(await makeTree([{ mode: "120000", type: "blob", id: await hash("/etc"), name }]));
  await expect(take({ commit: link })).rejects.toMatchObject({
    code: "GIT_LINK_LEAVES",
    message: expect.stringContaining('"a\\nrun: done"'),
  });
});

test("200,000 files, and more than anybody can list, are refused before one is written", async () => {
  const blob = await hash("x");
  let tree = await makeTree(many(1_000, { mode: "100644", type: "blob", id: blob }));
  for (const times of [200, 1_000, 1_000]) {
    tree = await makeTree(many(times, { mode: "040000", type: "tree", id: tree }));
    const commit = await commitTree(tree);
    await expect(take({ commit })).rejects.toMatchObject({ code: "GIT_TOO_LARGE" });
  }
});

test("a pack without end is cut while it comes", async () => {
  await using server = await startEndless();
  const limits = { sizeBytes: 4 * 2 ** 20, files: 100, timeMs: 60_000 };
  const taking = take({ url: server.url, commit: "1".repeat(40), limits });
  await expect(taking).rejects.toMatchObject({ code: "GIT_TOO_LARGE" });
});

test("a redirect, and a place of other objects, lead nowhere", async () => {
  const before = other.asked.length;
  const commit = await repository.commit({ files: { x: "x" } });
  const credentials = { password: "${secret:password}" };
  await using strange = await startPlace();
  for (const [answer, code] of [
    [(path: string) => redirectTo(`${http.url("h.git")}${path.replace("/h.git", "")}`), "GIT_REPOSITORY_MISSING"],
    [(path: string) => redirectTo(`${other.url}${path}`), "GIT_REPOSITORY_MISSING"],
    [(path: string) => dumb(path, commit), "GIT_FAILED"],
  ] as const) {
    strange.answer = answer;
    const taking = take({ url: `${strange.url}/h.git`, commit, credentials });
    await expect(taking).rejects.toMatchObject({ code });
  }
  expect(other.asked).toHaveLength(before);
  expect(http.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

function dumb(path: string, commit: string) {
  if (path.includes("/info/refs")) return { body: `${commit}\trefs/heads/main\n` };
  return path.endsWith("http-alternates") ? { body: `${other.url}/objects/\n` } : { status: 404 };
}

interface Entry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

function many(times: number, entry: Omit<Entry, "name">): readonly Entry[] {
  return Array.from({ length: times }, (_, index) => ({ ...entry, name: String(index).padStart(4, "0") }));
}

async function hash(text: string): Promise<string> {
  return await write(["hash-object", "-w", "--stdin"], text);
}

/** As no `git add` makes it. */
async function makeTree(entries: readonly Entry[]): Promise<string> {
  const parts = entries.flatMap(({ mode, id, name }) => [
    Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`),
    Buffer.from(id, "hex"),
  ]);
  return await write(["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], Buffer.concat(parts));
}

async function commitTree(tree: string): Promise<string> {
  const id = await repository.git("commit-tree", tree, "-m", "test");
  await repository.git("update-ref", "refs/heads/main", id);
  return id;
}

async function write(args: readonly string[], input: string | Buffer): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile("git", ["-C", repository.folder, ...args], (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
    child.stdin?.end(input);
  });
}

/** Speaks git's protocol as far as to a pack with one file that has no end. */
async function startEndless() {
  const packet = (text: string | Buffer): Buffer => {
    const content = Buffer.from(text);
    return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, "0")), content]);
  };
  const flush = Buffer.from("0000");
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
      const able = ["version 2\n", "ls-refs\n", "fetch=shallow\n", "object-format=sha1\n"].map(packet);
      return void response.end(Buffer.concat([packet("# service=git-upload-pack\n"), flush, ...able, flush]));
    }
    let asked = "";
    request.on("data", (chunk) => {
      asked += String(chunk);
    });
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
      if (!asked.includes("command=fetch")) return void response.end(flush);
      // One blob of 2^60 bytes, in blocks of deflate that aren't packed.
      const head = Buffer.from(`5041434b0000000200000001b0${"ff".repeat(7)}7f7801`, "hex");
      response.write(Buffer.concat([packet("packfile\n"), packet(Buffer.concat([Buffer.from([1]), head]))]));
      const block = packet(Buffer.concat([Buffer.from([1, 0, 0, 0x80, 0xff, 0x7f]), Buffer.alloc(32_768, 7)]));
      const send = (): void => {
        while (!response.destroyed && response.write(block));
      };
      response.on("drain", send);
      response.on("error", () => undefined);
      send();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/e.git`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function take(options: Partial<CheckOutOptions>): Promise<CheckedOut> {
  lines = [];
  return checkOut({
    programs,
    folder: join(programs.folder, `tree-${count++}`),
    signal: new AbortController().signal,
    secrets: { resolve: async () => "hunter2", conceal: () => undefined },
    mayUse: () => undefined,
    log: { line: (text) => void lines.push(text) },
    url: http.url("h.git"),
    ...options,
  });
}
