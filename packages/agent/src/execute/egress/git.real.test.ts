// Git through the agent's proxy, as commands use it.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type GitHttp, openTestRepository, startGitHttp } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeHost } from "../../policy/judge-host.ts";
import { policySchema } from "../../policy/schema.ts";
import { type Egress, openEgress } from "./index.ts";

const undo = new AsyncDisposableStack();
let root: string;
let http: GitHttp;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fairlead-egress-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  http = undo.use(await startGitHttp({ root }));
  await (await openTestRepository(root, "a.git")).commit({ files: { "main.tf": "one" } });
});
afterAll(() => undo.disposeAsync());

test("a repository comes from a host that the policy lists", async () => {
  const refused: string[] = [];
  await using egress = await open(["127.0.0.1:*"]);
  using pass = egress.admit({ onRefused: (host) => refused.push(host) });
  await clone(pass.url, "listed");
  expect(refused).toEqual([]);
});

test("none comes from another host, with another key, or past the proxy's rules; git says why", async () => {
  const before = http.seen.length;
  await using closed = await open(["git.example.com"]);
  using pass = closed.admit({});
  await expect(clone(pass.url, "unlisted")).rejects.toThrow(/403/);
  await using egress = await open(["127.0.0.1:*"]);
  const ended = egress.admit({});
  ended[Symbol.dispose]();
  await expect(clone(ended.url, "ended")).rejects.toThrow(/407/);
  expect(http.seen).toHaveLength(before);
});

async function open(allow: readonly string[]): Promise<Egress> {
  const policy = policySchema.parse({ execute: { network: { hosts: { allow } } } });
  return await openEgress({ judgeHost: (target) => judgeHost(policy, target), environment: {} });
}

async function clone(proxy: string, folder: string): Promise<void> {
  const environment = { PATH: process.env["PATH"], HOME: root, GIT_TERMINAL_PROMPT: "0", http_proxy: proxy };
  await promisify(execFile)("git", ["clone", "--quiet", http.url("a.git"), join(root, folder)], { env: environment });
}
