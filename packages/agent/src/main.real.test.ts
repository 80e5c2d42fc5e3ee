// The program as it is started: exit codes, what it prints, and how it takes signals.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecret, formatJoinToken } from "@fairlead/kernel";
import { programArgs } from "@fairlead/testkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startFakeHub } from "./identity/hub.fixture.ts";

let folder = "";
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-agent-main-"));
  await writeFile(
    join(folder, "kubeconfig"),
    JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "c" } }],
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    }),
  );
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

function run(
  args: string[],
  env: Record<string, string> = {},
): { child: ChildProcess; output: () => string; exit: Promise<unknown[]> } {
  const child = spawn(process.execPath, [...programArgs("agent"), ...args], {
    env: { ...env, HOME: folder },
  });
  children.push(child);
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  return { child, output: () => text, exit: once(child, "close") };
}

const cluster = (): string[] => ["--kubeconfig", join(folder, "kubeconfig"), "--state-dir", join(folder, "state")];

test("what no retry can help ends at once with a sentence, a code and a hint", async () => {
  const { exit, output } = run(["--hub", "https://127.0.0.1:1"]);
  expect(await exit).toEqual([1, null]);
  expect(output()).toMatch(/^fairlead-agent: .*\(CONFIG_CLUSTER_ACCESS_MISSING\)\n {2}Set --kubeconfig/);
});

test("a token of another hub ends at once, without the token in what is printed", async () => {
  await using hub = await startFakeHub();
  const secret = createSecret();
  const token = formatJoinToken({ id: "token123", secret, caFingerprint: "0".repeat(64) });
  const { exit, output } = run(["--hub", hub.url.href, ...cluster()], { FAIRLEAD_AGENT_TOKEN: token });
  expect(await exit).toEqual([1, null]);
  expect(output()).toContain("(ENROLL_CA_MISMATCH)");
  expect(output()).not.toContain(secret);
  expect(hub.bodies).toEqual([]);
});

test("a hub that isn't there is waited for, the health page says so, and SIGTERM ends the agent cleanly", async () => {
  const gone = await startFakeHub();
  const token = gone.token();
  await gone[Symbol.asyncDispose]();
  const { child, exit, output } = run(["--hub", gone.url.href, ...cluster()], { FAIRLEAD_AGENT_TOKEN: token });
  await vi.waitFor(() => expect(output().match(/LINK_UNREACHABLE/g)?.length).toBeGreaterThan(2), 60_000);
  const healthUrl = /"healthUrl":"([^"]+)"/.exec(output())?.[1] ?? "";
  expect((await fetch(`${healthUrl}/healthz`)).status).toBe(200);
  const ready = await fetch(`${healthUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringMatching(/^\[-\] hub failed.*\n\[-\] api-server/),
  ]);
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  expect(output()).toContain("agent is stopped");
});
