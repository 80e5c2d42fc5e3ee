// The command as one file, as someone has it who has nothing else: no Node, no packages, an empty PATH.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { waitUntil } from "@fairlead/kernel/testing";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleCommand, makeRelease } from "../../deploy/release/index.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let folder: string;
let outDir: string;
/** The file under the name by which kubectl finds its plugins. */
let plugin: string;
let fleet: Fleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-single-file-"));
  outDir = join(folder, "release");
  await makeRelease({ outDir, parts: ["commands"], platforms: ["linux-amd64", "darwin-arm64"], onProgress: () => {} });
  await mkdir(join(folder, "bin"));
  plugin = join(folder, "bin", "kubectl-fairlead");
  await rename(join(outDir, "fairlead-linux-amd64"), plugin);
  await chmod(plugin, 0o755);
  fleet = await startFleet({ roles: ["proxy", "observe"] });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("it tells its version and help, and ends with the documented codes", async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(await run(plugin, ["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  expect((await run(plugin, ["version"])).stdout).toContain(`Client  ${version}\n`);
  expect((await run(plugin, ["--help"])).stdout).toContain("Usage: kubectl fairlead [options] [command]");
  expect(await run(plugin, ["cluster", "list"])).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/CLI_NOT_SIGNED_IN/),
  });
  expect(await run(plugin, ["nope"])).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(/CLI_USAGE/),
  });
});

test("signs in, shows what is in the clusters, and is what kubectl asks for credentials", async () => {
  const { hub, namespace } = fleet;
  const signIn = ["login", hub.url, "--ca-fingerprint", hub.caFingerprint];
  expect(await run(plugin, signIn, { input: `${hub.adminToken}\n` })).toMatchObject({ status: 0 });
  await fleet.kubectl(["create", "configmap", "seen"]);
  const isThere = async () =>
    (await run(plugin, ["get", "namespaces", "--all-clusters"])).stdout.includes(namespace.name);
  expect(await waitUntil(isThere, { timeoutMs: 60_000, intervalMs: 1_000 })).toBe(true);

  const { kubectl } = await ensureTools(["kubectl"]);
  const kubeconfig = join(folder, "kubeconfig");
  expect(await run(plugin, ["kubeconfig", "east", "--merge"], { env: { KUBECONFIG: kubeconfig } })).toMatchObject({
    status: 0,
  });
  expect(await readFile(kubeconfig, "utf8")).toContain(plugin);
  const list = ["--context", "fairlead-east", "--namespace", namespace.name, "get", "configmaps", "--output=name"];
  const listed = await run(kubectl, list, { env: { KUBECONFIG: kubeconfig } });
  expect(listed).toEqual({ status: 0, stdout: expect.stringMatching(/^configmap\/seen$/m), stderr: "" });
});

test("kubectl runs it as its plugin", async () => {
  const { kubectl } = await ensureTools(["kubectl"]);
  const env = { PATH: join(folder, "bin") };
  expect(await run(kubectl, ["fairlead", "cluster", "list"], { env })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^east /m),
  });
  expect((await run(kubectl, ["fairlead", "cluster", "--help"], { env })).stdout).toContain(
    "Usage: kubectl fairlead cluster ",
  );
  expect((await run(kubectl, ["fairlead", "nope"], { env })).status).toBe(2);
});

test("a release says which platforms it leaves out, and carries the licences of what is in the file", async () => {
  const notes = await readFile(join(outDir, "NOTES.md"), "utf8");
  expect(notes).toContain("- linux-amd64: Node 24.");
  expect(notes).toContain("- darwin-arm64: left out.");
  const licences = await readFile(join(outDir, "fairlead-licences.txt"), "utf8");
  for (const name of ["commander", "ws", "yaml", "zod", "Node"]) expect(licences).toContain(`${name} `);
  expect((await stat(plugin)).size).toBeGreaterThan(50_000_000);
});

test("the script in it is the same wherever it is made", async () => {
  const here = process.cwd();
  const one = await bundleCommand("1.2.3");
  try {
    process.chdir(folder);
    expect((await bundleCommand("1.2.3")).code).toBe(one.code);
  } finally {
    process.chdir(here);
  }
  expect(one.code).not.toContain(here);
});

/** Not in one go: the cable between hub and agent is held by this process. */
async function run(
  command: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
) {
  const env = { HOME: folder, PATH: "", ...options.env };
  const child = spawn(command, args, { cwd: folder, env, timeout: 120_000 });
  child.stdin.end(options.input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status: status as number | null, stdout, stderr };
}
