// A published package must run where it is installed: Node strips no types under node_modules, and a package that
// forgot a file, or a dependency, shows it only there.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { ensureBuilt, ensureTools, repoRoot, startProcess } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packPackages } from "../../deploy/release/index.ts";

const published = ["kernel", "protocol", "contract", "kube", "doctor", "hub", "agent", "cli"];
const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
const arch = process.arch === "arm64" ? "arm64" : "amd64";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-packages-"));
  await ensureBuilt();
  const tarballs = await packPackages(folder, [arch]);
  expect(tarballs).toHaveLength(published.length);
  // As a person does it, into a prefix where nothing of Fairlead was before.
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", "--global", "--prefix", join(folder, "prefix"), ...quietly, ...tarballs], folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["fairlead", "fairlead-hub", "fairlead-agent"])(
  "after npm install -g, %s tells its version and its help",
  async (command) => {
    const { version } = JSON.parse(await readFile(join(repoRoot, "packages", "hub", "package.json"), "utf8"));
    const path = installed(command);
    expect(run(path, ["--version"], folder)).toContain(version);
    expect(run(path, ["--help"], folder)).toContain(command);
  },
);

test.each(["fairlead", "fairlead-hub", "fairlead-agent"])(
  "a build of a clone puts %s on the path of its README",
  (command) => {
    expect(run(join(repoRoot, "node_modules", ".bin", command), ["--help"], folder)).toContain(command);
  },
);

test("after npm install -g, kubectl finds fairlead as its plugin", async () => {
  const { kubectl } = await ensureTools(["kubectl"]);
  const path = [join(folder, "prefix", "bin"), dirname(process.execPath)].join(delimiter);
  expect(run(kubectl, ["fairlead", "--help"], folder, { PATH: path })).toContain("Usage: kubectl fairlead ");
});

test("no package carries sources or tests", () => {
  const modules = join(folder, "prefix", "lib", "node_modules");
  const listed = run(
    "find",
    ["@fairlead", "fairlead", "-name", "*.ts", "-not", "-name", "*.d.ts", "-not", "-path", "*/node_modules/*"],
    modules,
  );
  expect(listed.trim()).toBe("");
  expect(
    run("find", ["@fairlead", "fairlead", "-name", "*.test.*", "-not", "-path", "*/node_modules/*"], modules).trim(),
  ).toBe("");
});

test("an installed agent finds the runner that came with it, and its licences are there", () => {
  const agent = join(folder, "prefix", "lib", "node_modules", "@fairlead", "agent");
  const runner = join(agent, "programs", `linux-${arch}`, "fairlead-runner");
  const script = `
    import { findRunner } from ${JSON.stringify(join(agent, "dist", "processes", "find-runner.js"))};
    console.log(await findRunner({ path: "/nowhere" }));`;
  expect(run(process.execPath, ["--input-type=module", "--eval", script], folder)).toBe(`${runner}\n`);
  expect(JSON.parse(run(runner, ["probe"], folder))).toMatchObject({ landlockAbi: expect.any(Number) });
  expect(run("head", ["-1", join(agent, "programs", "LICENSES")], folder)).not.toBe("");
});

test("an installed hub starts, keeps its data, and an installed CLI signs in to it", async () => {
  const logFile = join(folder, "hub.log");
  const readLog = () => readFile(logFile, "utf8").catch(() => "");
  await using hub = await startProcess({
    name: "installed hub",
    command: process.execPath,
    args: [
      installed("fairlead-hub"),
      "--data-dir",
      join(folder, "data"),
      "--listen",
      "127.0.0.1:0",
      "--agent-listen",
      "127.0.0.1:0",
    ],
    env: { HOME: folder },
    logFile,
    readyWhen: async () => (await readLog()).includes("hub is ready"),
    readyTimeoutMs: 60_000,
  });
  const log = await readLog();
  const token = /\bfla_[0-9a-z]+/.exec(log)?.[0] ?? "";
  const fingerprint = /\b[0-9a-f]{64}\b/.exec(log)?.[0] ?? "";
  const url = /"listen":"([^"]+)"/.exec(log)?.[1] ?? "";
  const fairlead = (...args: string[]) =>
    run(installed("fairlead"), args, folder, { FAIRLEAD_TOKEN: token, FAIRLEAD_CONFIG: join(folder, "cli.yaml") });
  fairlead("login", url, "--ca-fingerprint", fingerprint);
  fairlead("cluster", "add", "east", "--token-out", join(folder, "east.token"));
  expect(fairlead("cluster", "list")).toContain("never-connected");

  const agentLog = join(folder, "agent.log");
  const agentUrl = /"agentListen":"([^"]+)"/.exec(log)?.[1] ?? "";
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, unreachableKubeconfig);
  await using _agent = await startProcess({
    name: "installed agent",
    command: process.execPath,
    args: [
      installed("fairlead-agent"),
      "--hub",
      agentUrl,
      "--token-file",
      join(folder, "east.token"),
      "--kubeconfig",
      kubeconfig,
      "--state-dir",
      join(folder, "agent"),
    ],
    env: { HOME: folder },
    logFile: agentLog,
  });
  // The CLI's start takes longer than a look at the log.
  const isLinked = async () => (await readLog()).includes("agent linked");
  expect(await waitUntil(isLinked, { timeoutMs: 60_000 })).toBe(true);
  const isConnected = () => fairlead("cluster", "list", "--json").includes('"connected"');
  expect(await waitUntil(isConnected, { timeoutMs: 60_000, intervalMs: 500 })).toBe(true);
  expect(await hub.stop()).toEqual({ code: 0 });
});

function installed(program: string): string {
  return join(folder, "prefix", "bin", program);
}

/** A cluster that is down: the agent connects to the hub all the same. */
const unreachableKubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "none",
  contexts: [{ name: "none", context: { cluster: "none", user: "none" } }],
  clusters: [{ name: "none", cluster: { server: "https://127.0.0.1:9" } }],
  users: [{ name: "none", user: { token: "none" } }],
});

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const result = spawnSync(command, args, { cwd, env: { ...env, ...more }, encoding: "utf8", timeout: 300_000 });
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${result.status}:\n${result.stderr}`);
  return result.stdout;
}
