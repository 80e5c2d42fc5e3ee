// Configurations of OpenTofu run programs: at `init` by a key provider of their own, at apply by provisioners. Whoever brings
// one gets neither what the agent has, nor what other runs have.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { until } from "@fairlead/kernel/testing";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let folder: string;
let policyFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-hardening-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  policyFile = join(folder, "policy.yaml");
  await writeFile(policyFile, "{}\n");
  const { tofu } = await ensureTools(["tofu"]);
  const agentEnv = { PATH: `${dirname(tofu)}:${process.env["PATH"]}`, AWS_SECRET_ACCESS_KEY: "of-the-agent" };
  const agentArgs = ["--policy-file", policyFile];
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"], agentEnv, agentArgs }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  await fleet.cluster.kubectl(["create", "clusterrolebinding", "hardening", "--clusterrole=cluster-admin", agents]);
});
afterAll(() => undo.disposeAsync());

test("a key provider that is a program is refused before OpenTofu reads it, in each spelling", async () => {
  const marker = join(folder, "was-run");
  const command = ["sh", "-c", `touch ${marker}`];
  const block = [
    `key_provider "external" "x" { command = ${JSON.stringify(command)} }`,
    'method "aes_gcm" "m" { keys = key_provider.external.x }',
    "state { method = method.aes_gcm.m }",
  ].join("\n");
  const method = { aes_gcm: { m: { keys: "${key_provider.external.x}" } } };
  const encryption = {
    key_provider: { external: { x: { command } } },
    method,
    state: { method: "${method.aes_gcm.m}" },
  };
  const json = { terraform: { encryption } };
  const spellings = [
    { "main.tf": `terraform {\n encryption {\n ${block}\n }\n}` },
    { "main.tf": "", "x_override.tofu": `terraform {\nencryption {\n${block}\n}\n}\n` },
    { "main.tf": "", "x.tf.json": JSON.stringify(json) },
    { "main.tf": "", "x.tofu.json": JSON.stringify({ terraform: [json.terraform] }) },
  ];
  for (const files of spellings) {
    const ended = await run({ source: { files } }, "--dry-run");
    expect(ended).toMatchObject({ state: "failed" });
    expect(["TOFU_SOURCE_REFUSED", "TOFU_SOURCE_UNREADABLE"]).toContain(ended.trouble?.code);
  }
  await expect(readFile(marker)).rejects.toThrow("ENOENT");
});

test("programs of a configuration are refused unless the policy allows them", async () => {
  const ended = await run({ source: { files: { "main.tf": provisioner("true") } } });
  expect(ended).toMatchObject({ state: "failed", trouble: { code: "TOFU_PROGRAM_REFUSED" } });
});

test("a program that the policy allows finds nothing of the agent's, and no way but the door", async () => {
  await writeFile(policyFile, "execute:\n  tofu:\n    programs: true\n");
  const { stateDir } = fleet.joined.agent;
  // OpenTofu tells the program's text, too: only counts are told apart from it.
  const script = [
    "echo user=$(id -u)",
    `echo state=$(cat ${stateDir}/* ${stateDir}/identity/* 2>/dev/null | wc -c)`,
    "echo variables=$(env | grep -c -e AGENT -e AWS)",
    "echo processes=$(ls /proc | grep -c '^[0-9]*$')",
    "echo others=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c -e AGENT -e AWS)",
    `echo folders=$(ls /root /home ${folder} 2>/dev/null | wc -l)`,
    "echo token=$(cat /var/run/secrets/kubernetes.io/serviceaccount/token 2>/dev/null | wc -c)",
    "echo end=$((6 * 7))",
  ].join("\n");
  const ended = await retry(() => run({ source: { files: { "main.tf": provisioner(script) } } }));
  const { stdout: log } = await fleet.hub.cli(["run", "logs", ended.id]);
  expect(ended.state, log).toBe("succeeded");
  expect(log).toContain("end=42");
  for (const name of ["state", "variables", "others", "folders", "token"]) expect(log).toContain(`${name}=0`);
  if (process.getuid?.() === 0) expect(log).not.toMatch(/user=0\b/);
  expect(Number(/processes=(\d+)/.exec(log)?.[1])).toBeLessThan(20);
});

/** The policy is looked at every two seconds. */
async function retry(submit: () => Promise<CommandDetail>): Promise<CommandDetail> {
  for (let i = 0; i < 20; i++) {
    const ended = await submit();
    if (ended.trouble?.code !== "TOFU_PROGRAM_REFUSED") return ended;
  }
  return await submit();
}

function provisioner(script: string): string {
  const { name } = fleet.namespace;
  return `resource "terraform_data" "${name}" {
  triggers_replace = timestamp()
  provisioner "local-exec" {
    command = ${JSON.stringify(script)}
  }
}`;
}

async function run(spec: object, ...args: string[]): Promise<CommandDetail> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ name: "attack", namespace: fleet.namespace.name, ...spec }));
  // A dry run is waited for, and its exit code tells of its failure.
  const options = { allowFailure: args.includes("--dry-run") };
  const { stdout } = await fleet.hub.cli(["run", "tofu", "-f", file, "--cluster", "east", "--json", ...args], options);
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  const look = async () =>
    (await requestHub(fleet.hub, `/api/v1/commands/${items[0]?.id}`)).json() as CommandDetail & { finishedAt?: string };
  await until(async () => (await look()).finishedAt !== undefined, "it ends", { intervalMs: 100 });
  return await look();
}
