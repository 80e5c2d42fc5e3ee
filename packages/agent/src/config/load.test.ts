import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chooseProxy } from "../dial/index.ts";
import { printHelp } from "./help.ts";
import { readInvocation } from "./load.ts";
import { agentProgram } from "./settings.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-agent-config-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("flags win over the environment, that wins over the file, and that over defaults", async () => {
  const config = join(folder, "agent.yaml");
  await writeFile(config, "hub: https://file:1\nlogLevel: debug\nroles: [observe, proxy]\ndrain: 5s\n");
  const env = { FAIRLEAD_AGENT_HUB: "https://env:2", FAIRLEAD_AGENT_LOG_LEVEL: "warn", FAIRLEAD_AGENT_CONFIG: config };
  const invocation = await readInvocation({ argv: ["--hub", "wss://flag:3", "--roles", "proxy"], env });
  if (invocation.kind !== "run") throw new Error("it should run");
  expect(invocation.config).toMatchObject({ logLevel: "warn", roles: ["proxy"], drainMs: 5_000 });
  expect(invocation.config.hub.href).toBe("https://flag:3/");
  expect(invocation.config.healthListen).toEqual({ host: "127.0.0.1", port: 0 });
});

test("what is printed has no token in it, and credential plugins don't see it either", async () => {
  const env = { FAIRLEAD_AGENT_TOKEN: "flj_s3cret", FAIRLEAD_AGENT_HUB: "https://hub:1" };
  const printed = await readInvocation({ argv: ["--print-config"], env });
  expect(printed.kind === "print-config" && printed.text).toContain("[set, not shown]");
  expect(JSON.stringify(printed)).not.toContain("s3cret");
  const invocation = await readInvocation({ argv: [], env });
  expect(invocation.kind === "run" && invocation.config.env["FAIRLEAD_AGENT_TOKEN"]).toBeUndefined();
  expect(invocation.kind === "run" && invocation.config.token).toBe("flj_s3cret");
});

test("what is printed has no password of a proxy in it, and credential plugins don't see it either", async () => {
  const env = { FAIRLEAD_AGENT_PROXY: "http://me:p@ss@gate:3128", FAIRLEAD_AGENT_HUB: "https://hub:1" };
  const printed = await readInvocation({ argv: ["--print-config"], env });
  expect(printed.kind === "print-config" && JSON.parse(printed.text).proxy).toBe("http://[set, not shown]@gate:3128");
  const invocation = await readInvocation({ argv: [], env });
  expect(invocation.kind === "run" && invocation.config.env["FAIRLEAD_AGENT_PROXY"]).toBeUndefined();
});

test.each([
  [["--huub", "x"], "CONFIG_UNKNOWN"],
  [["stray"], "CONFIG_INVALID"],
  [[], "CONFIG_HUB_MISSING"],
  [["--hub", "http://plain"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--roles", "proxy,king"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--health-listen", "8080"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--log-level", "loud"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--identity-secret", "Not/A/Name"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--identity-secret", "name", "--state-dir", "folder"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--observe-include", "Pods"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--observe-namespaces", "a/b"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--observe-env-values", "show"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--observe-max-object-size", "10"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--execute-parallel", "0"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--execute-parallel", "17"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--tofu-provider-mirror", "http://mirror/"], "CONFIG_INVALID"],
  [["--hub", "https://h", "--config", "/nonexistent/x.yaml"], "CONFIG_FILE_UNREADABLE"],
])("%j is refused as %s", async (argv, code) => {
  await expect(readInvocation({ argv, env: {} })).rejects.toMatchObject({ code });
});

test("what is observed is said by lists, as text or as YAML", async () => {
  const path = join(folder, "agent.yaml");
  await writeFile(path, "hub: https://h\nobserveInclude: [configmaps, '*.example.com']\nkubeconfig: k\n");
  const argv = ["--config", path, "--observe-namespaces", "team-a, team-b,team-a", "--observe-env-values", "keep"];
  const invocation = await readInvocation({ argv, env: { FAIRLEAD_AGENT_OBSERVE_EXCLUDE: "events" } });
  expect(invocation.kind === "run" && invocation.config.observe).toEqual({
    doctor: true,
    doctorProbes: false,
    include: ["configmaps", "*.example.com"],
    exclude: ["events"],
    namespaces: ["team-a", "team-b"],
    labelSelector: undefined,
    envValues: "keep",
    maxObjectBytes: 262_144,
    lease: undefined,
  });
});

test("how commands are carried out is said by settings of their own", async () => {
  const argv = [
    "--hub",
    "https://h",
    "--execute-folder",
    "logs",
    "--execute-parallel",
    "8",
    "--execute-log-size",
    "16Mi",
  ];
  argv.push("--tofu-provider-mirror", "/mirror", "--tofu-provider-cache", "/cache");
  argv.push("--execute-runner", "/bin/runner", "--execute-uids", "70000-70009");
  const invocation = await readInvocation({ argv, env: { FAIRLEAD_AGENT_COMMAND_KEYS_FILE: "keys.json" } });
  const execute = {
    folder: resolve("logs"),
    parallel: 8,
    keysFile: resolve("keys.json"),
    logBytes: 2 ** 24,
    spoolBytes: 2 ** 30,
    timeLimitMs: 604_800_000,
    programMemoryBytes: 2 ** 30,
    fence: {
      is: "fenced",
      settings: { program: "/bin/runner", socket: undefined, uids: { first: 70_000, last: 70_009 } },
    },
    providers: { mirror: "/mirror", cacheFolder: "/cache" },
  };
  expect(invocation.kind === "run" && invocation.config.execute).toEqual(execute);
});

const pathSettings = Object.entries(agentProgram.settings)
  .filter(([, { kind }]) => kind.placeholder === "FILE" || kind.placeholder === "FOLDER")
  .map(([member]) => member);

test("no path setting is left out of the tests below", () => {
  expect(pathSettings.toSorted()).toEqual([
    "argoRedisCaFile",
    "argoRedisPasswordFile",
    "caFile",
    "commandKeysFile",
    "executeFolder",
    "executeRunner",
    "executeRunnerSocket",
    "kubeconfig",
    "otlpHeadersFile",
    "policyFile",
    "stateDir",
    "tofuProviderCache",
    "tokenFile",
  ]);
});

test.each(pathSettings)("%s is absolute from the start, by flag, variable and file", async (member) => {
  const name = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const variable = `FAIRLEAD_AGENT_${name.replaceAll("-", "_").toUpperCase()}`;
  const config = join(folder, "agent.yaml");
  await writeFile(config, JSON.stringify({ [member]: "a/../place" }));
  const ways = [
    { argv: [`--${name}`, "./place"] },
    { argv: [], env: { [variable]: "place" } },
    { argv: ["--config", config] },
    { argv: [`--${name}`, resolve("place")] },
  ];
  for (const { argv, env = {} } of ways) {
    const printed = await readInvocation({ argv: ["--print-config", ...argv], env });
    if (printed.kind !== "print-config") throw new Error("it should print");
    expect(JSON.parse(printed.text)[member]).toBe(resolve("place"));
  }
});

test("words in the place of a path stay, and the folder for all identities is absolute, too", async () => {
  const env = { XDG_STATE_HOME: "state" };
  const invocation = await readInvocation({ argv: ["--hub", "https://h", "--ca-file", "system"], env });
  if (invocation.kind !== "run") throw new Error("it should run");
  expect(invocation.config).toMatchObject({ caFile: "system", stateHome: resolve("state/fairlead-agent") });
});

test("in a pod agents elect a leader by a Lease unless told", async () => {
  const leaseOf = async (...argv: string[]): Promise<unknown> => {
    const invocation = await readInvocation({ argv: ["--hub", "https://h", ...argv], env: {} });
    return invocation.kind === "run" && invocation.config.observe.lease;
  };
  expect(await leaseOf()).toBe("fairlead-agent-observe");
  expect(await leaseOf("--kubeconfig", "file")).toBeUndefined();
  expect(await leaseOf("--kubeconfig", "file", "--observe-lease", "mine")).toBe("mine");
});

test("an agent of a mesh has no token, and may reach its sidecar without TLS", async () => {
  const env = { HTTPS_PROXY: "http://gate:3128" };
  const invocation = await readInvocation({ argv: ["--identity", "mesh", "--hub", "ws://hub.fairlead.svc:8444"], env });
  if (invocation.kind !== "run") throw new Error("it should run");
  expect(invocation.config).toMatchObject({ identity: "mesh" });
  expect(invocation.config.hub.href).toBe("http://hub.fairlead.svc:8444/");
  expect(chooseProxy(invocation.config)).toBeUndefined();
});

test.each([
  [["--hub", "http://h"], /^--hub is invalid: /],
  [["--hub", "http://h", "--identity", "none"], /^--identity is invalid: /],
  [["--hub", "http://h", "--identity", "mesh", "--token-file", "f"], /^--token-file is invalid: /],
  [["--hub", "http://h", "--identity", "mesh", "--proxy", "http://gate:3128"], /^--proxy is invalid: /],
  [["--hub", "https://h", "--identity", "mesh"], /^--ca-file is invalid: /],
])("%j doesn't go with how the agent is known", async (argv, message) => {
  await expect(readInvocation({ argv, env: {} })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(message),
  });
});

test("an agent of a mesh has no token to enroll with", async () => {
  const argv = ["--hub", "http://h", "--identity", "mesh"];
  await expect(readInvocation({ argv, env: { FAIRLEAD_AGENT_TOKEN: "flj_x" } })).rejects.toMatchObject({
    message: expect.stringMatching(/^--token is invalid: /),
  });
});

test.each([
  [["--token", "flj_s3cret"], "FAIRLEAD_AGENT_TOKEN"],
  [["--proxy", "http://me:s3cret@gate:3128"], "FAIRLEAD_AGENT_PROXY"],
])("%j is refused, as every user of the machine could read it", async (argv, variable) => {
  const thrown = await readInvocation({ argv: ["--hub", "https://h", ...argv], env: {} }).catch((error) => error);
  expect(thrown).toMatchObject({ code: "CONFIG_SECRET_IN_FLAG", hint: expect.stringContaining(variable) });
  expect(`${thrown.message} ${thrown.hint}`).not.toContain("s3cret");
});

test("the plain numbers of former settings count, with a warning", async () => {
  const argv = ["--hub", "https://h", "--drain-seconds", "2.5", "--execute-spool-mib", "64"];
  const env = { FAIRLEAD_AGENT_EXECUTE_PROGRAM_MEMORY_MIB: "512", FAIRLEAD_AGENT_OBSERVE_MAX_OBJECT_BYTES: "16384" };
  expect(await readInvocation({ argv, env })).toMatchObject({
    config: {
      drainMs: 2_500,
      execute: { spoolBytes: 2 ** 26, programMemoryBytes: 2 ** 29 },
      observe: { maxObjectBytes: 16_384 },
    },
    warnings: [
      "FAIRLEAD_AGENT_OBSERVE_MAX_OBJECT_BYTES is deprecated: write FAIRLEAD_AGENT_OBSERVE_MAX_OBJECT_SIZE 16Ki instead.",
      "--execute-spool-mib is deprecated: write --execute-spool-size 64Mi instead.",
      "FAIRLEAD_AGENT_EXECUTE_PROGRAM_MEMORY_MIB is deprecated: write FAIRLEAD_AGENT_EXECUTE_PROGRAM_MEMORY 512Mi instead.",
      "--drain-seconds is deprecated: write --drain 2s500ms instead.",
    ],
  });
});

test("no name that is offered has a unit in it", () => {
  expect(printHelp()).not.toMatch(/--[a-z-]*-(?:ms|seconds|mib|bytes|days|hours|minutes)\b/);
});

test("what is printed is understood as a file again", async () => {
  const argv = ["--hub", "https://h", "--drain", "90s", "--execute-uids", "70000-70009", "--print-config"];
  const printed = await readInvocation({ argv, env: {} });
  const path = join(folder, "printed.yaml");
  await writeFile(path, printed.kind === "print-config" ? printed.text : "");
  expect(await readInvocation({ argv: ["--config", path, "--print-config"], env: {} })).toEqual(printed);
});

test("an unknown setting in the file is named", async () => {
  const path = join(folder, "agent.yaml");
  await writeFile(path, "hub: https://h\ntokken: x\n");
  await expect(readInvocation({ argv: ["--config", path], env: {} })).rejects.toMatchObject({
    code: "CONFIG_UNKNOWN",
    message: expect.stringContaining("tokken"),
    hint: "Did you mean token?",
  });
  await writeFile(path, "- a\n");
  await expect(readInvocation({ argv: ["--config", path], env: {} })).rejects.toMatchObject({
    code: "CONFIG_FILE_UNREADABLE",
  });
});

test("an IPv6 address to listen on is understood", async () => {
  const invocation = await readInvocation({ argv: ["--hub", "https://h", "--health-listen", "[::1]:80"], env: {} });
  expect(invocation.kind === "run" && invocation.config.healthListen).toEqual({ host: "::1", port: 80 });
});
