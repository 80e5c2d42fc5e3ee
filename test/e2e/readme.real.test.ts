// "A first session by hand" of README.md, typed line by line by somebody with one machine and one cluster. Only the ports are
// others than README's, because those may be taken where tests run.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type CommandResult,
  findLogLines,
  type LeasedCluster,
  leaseCluster,
  type RunningProcess,
  repoRoot,
  reservePorts,
  runCommand,
  startProcess,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";

const undo = new AsyncDisposableStack();
let cluster: LeasedCluster;
let folder: string;
let ports: { readonly people: number; readonly agents: number };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-readme-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = undo.use(await leaseCluster({ name: "readme", nodes: 2 }));
  const lease = undo.use(await reservePorts(2));
  const [people = 0, agents = 0] = lease.ports;
  ports = { people, agents };
  // Every new user has this: a kubeconfig with an admin of the cluster in it.
  await mkdir(join(folder, ".kube"));
  await writeFile(join(folder, ".kube", "config"), await readFile(cluster.adminKubeconfig));
});
afterAll(() => undo.disposeAsync());

it("does what README says, in its order, with no line that can't be typed", async () => {
  const steps = readSteps(await readFile(join(repoRoot, "README.md"), "utf8"));
  expect(steps.length).toBeGreaterThan(8);
  const outputs = new Map<string, CommandResult>();
  let agent: RunningProcess | undefined;
  for (const { command, output } of steps) {
    if (command.startsWith("fairlead-hub")) {
      undo.use(await startHub(command));
      continue;
    }
    if (command.startsWith("fairlead-agent")) {
      // "stop the agent of step 4 (Ctrl-C)"
      agent?.signal("INT");
      await agent?.exited;
      agent = undo.use(await startAgent(command));
      continue;
    }
    const result = await type(command);
    expect(result.code, `${command}\n${result.stdout}${result.stderr}`).toBe(0);
    for (const line of output) expect(`${result.stdout}${result.stderr}`).toContain(withPorts(line));
    outputs.set(command, result);
  }
  expect(find(outputs, "get nodes")).toContain("readme-node-1");
  expect(find(outputs, "get pods --all-clusters")).toMatch(/CLUSTER|No resources found/);
  expect(find(outputs, "cluster list")).toMatch(/east\s+connected.*observe,proxy/);
});

interface Step {
  readonly command: string;
  /** The output that README shows. */
  readonly output: readonly string[];
}

function readSteps(readme: string): Step[] {
  const [, section = ""] = readme.split("## A first session by hand\n");
  const blocks = (section.split("\n## ")[0] ?? "").matchAll(/```[a-z]*\n(.*?)```/gs);
  return [...blocks].flatMap(([, block = ""]) => {
    const [before, ...typed] = `\n${block}`.replace(/\\\n\s*/g, " ").split("\n$ ");
    expect(before?.trim(), "a block begins with something that is typed").toBe("");
    return typed.map((text) => {
      const [command = "", ...output] = text.trimEnd().split("\n");
      return { command, output: output.filter((line) => line.trim() !== "") };
    });
  });
}

async function startHub(command: string): Promise<RunningProcess> {
  const listen = `--listen 127.0.0.1:${ports.people} --agent-listen 127.0.0.1:${ports.agents}`;
  return await startProcess({
    ...shell(`exec ${command} ${listen}`),
    name: "the hub of README",
    logFile: join(folder, "hub.log"),
    readyWhen: async () => (await readFile(join(folder, "hub.log"), "utf8")).includes("hub is ready"),
    readyTimeoutMs: 120_000,
  });
}

/** Ready when the hub uses it for all that it does. */
async function startAgent(command: string): Promise<RunningProcess> {
  const roles = /--roles (\S+)/.exec(command)?.[1]?.split(",") ?? ["proxy"];
  const logFile = join(folder, "agent.log");
  const countLinks = async () => (await findLogLines(logFile, "agent is connected")).length;
  const before = await countLinks();
  const agent = await startProcess({
    ...shell(`exec ${withPorts(command)}`),
    name: "the agent of README",
    logFile,
    // Asked first, since what is typed below takes a second of a core.
    readyWhen: async () => (await countLinks()) > before,
    readyTimeoutMs: 60_000,
  });
  const isLive = async (): Promise<boolean> => {
    const { linkedRoles } = JSON.parse((await type("fairlead cluster get east --json")).stdout);
    if (linkedRoles.length !== roles.length) return false;
    return roles.length === 1 || (await type("fairlead get nodes --all-clusters")).stdout.includes("readme-node-1");
  };
  const isReady = await waitUntil(isLive, { timeoutMs: 60_000, intervalMs: 1_000 }).catch(() => false);
  expect(isReady, await agent.logTail()).toBe(true);
  return agent;
}

function type(command: string): Promise<CommandResult> {
  const { command: program, args, ...options } = shell(withPorts(command));
  return runCommand(program, args, { ...options, allowFailure: true });
}

function shell(command: string) {
  const bin = join(repoRoot, "node_modules", ".bin");
  const kubectl = join(cluster.kubectlPath, "..");
  return {
    command: "/bin/sh",
    args: ["-c", command],
    cwd: folder,
    env: { HOME: folder, PATH: `${bin}:${kubectl}:/usr/bin:/bin` },
  };
}

function withPorts(text: string): string {
  return text.replaceAll(":8443", `:${ports.people}`).replaceAll(":8444", `:${ports.agents}`);
}

function find(outputs: ReadonlyMap<string, CommandResult>, part: string): string {
  const [, result] = [...outputs].find(([command]) => command.includes(part)) ?? [];
  return `${result?.stdout}${result?.stderr}`;
}
