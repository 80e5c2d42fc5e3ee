// Signed commands that run OpenTofu, from a hub to a real API server.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { until } from "@fairlead/kernel/testing";
import type { KubeClient } from "@fairlead/kube";
import { ensureTools, repoRoot, type TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { type ClusterHarness, openClusterHarness } from "./cluster-harness.fixture.ts";
import { startTestExecuting, type TestExecuting } from "./executing.fixture.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { type TestSigner, testEnvelope } from "./signing.fixture.ts";
import { createTofuRunner } from "./tofu/index.ts";

let harness: ClusterHarness;
let own: TestNamespace;
let team: TestNamespace;
let client: KubeClient;
let signer: TestSigner;
let hub: ScriptedHub;
let agent: TestExecuting;

beforeAll(async () => {
  harness = await openClusterHarness();
  ({ own, team, client, signer } = harness);
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
  const { tofu } = await ensureTools(["tofu"]);
  const environment = { ...process.env, PATH: `${dirname(tofu)}:${process.env["PATH"]}` };
  agent = await startTestExecuting({
    hub,
    keys: [signer.jwk],
    runner: createTofuRunner(),
    client,
    inCluster: true,
    environment,
  });
});
afterEach(async () => {
  await agent.executing.stop({ drainMs: 0 });
  await hub[Symbol.asyncDispose]();
});
afterAll(async () => await harness?.[Symbol.asyncDispose]());

test("scenario 11: a value from a Secret reaches resources, outputs and provisioners, and nothing of it what leaves or is kept", async () => {
  const canary = 'c4n"ary\\of+the/vault';
  await post("secrets", {
    metadata: { name: "vault" },
    stringData: { pass: canary, vars: `{"deep":{"n":"${hidden}"}}` },
  });
  const main = `
variable "pass" {}
variable "deep" { type = object({ n = string }) }
resource "terraform_data" "web" {
  input = { text = "x:\${var.pass}", deep = var.deep.n }
  provisioner "local-exec" { command = "echo \\"$CANARY\\"; echo '\${var.deep.n}' >&2" }
}
output "url" { value = "https://me:\${var.pass}@host" }
`;
  const failing = `${main}
resource "terraform_data" "bad" {
  lifecycle {
    precondition {
      condition     = var.pass == ""
      error_message = "the value \${var.pass} with \${var.deep.n} won't do"
    }
  }
}`;
  const spec = (text: string): object => ({
    name: "leak",
    namespace: team.name,
    source: { files: { "main.tf": text } },
    variables: { pass: `\${secret:${team.name}/vault/pass}` },
    variablesFrom: [`\${secret:${team.name}/vault/vars}`],
    environment: { CANARY: `\${secret:${team.name}/vault/pass}` },
    outputs: { secret: "leak-outputs" },
  });
  await submit("cmd_leak1", spec(failing));
  const failed = await ended("cmd_leak1");
  expect(failed).toMatchObject({ state: "failed", code: "TOFU_PLAN_FAILED" });
  expect(failed.message).toContain("won't do");
  await submit("cmd_leak2", spec(main), { dryRun: true });
  const planned = await ended("cmd_leak2");
  expect(planned.result).toMatchObject({ summary: { add: 1 } });
  await submit("cmd_leak3", spec(main));
  const applied = await ended("cmd_leak3");
  expect(applied).toMatchObject({ state: "succeeded", result: { outputs: [{ name: "url", type: "string" }] } });
  expect(logOf("cmd_leak3")).toContain("(local-exec): ***");
  const { data = {} } = await client.request<Stored>({ path: pathOf("secrets/leak-outputs") });
  expect(Buffer.from(data["url"] ?? "", "base64").toString()).toBe(`https://me:${canary}@host`);

  const { items } = await client.request<{ items: Stored[] }>({ path: `/api/v1/namespaces/${own.name}/secrets` });
  const records = items.flatMap((item) => Object.values(item.data ?? {}).map(readRecord));
  const logs = ["cmd_leak1", "cmd_leak2", "cmd_leak3"].map(logOf);
  const left = JSON.stringify([failed, planned, applied, agent.logged]) + logs.join() + records.join();
  for (const value of [canary, hidden])
    for (const spelt of [value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString("base64")])
      expect(left).not.toContain(spelt);
});

test("the example runs as it is", async () => {
  const spec = parse(await readFile(join(repoRoot, "deploy/examples/tofu.yaml"), "utf8"));
  await submit("cmd_example", { ...spec, namespace: team.name });
  expect(await ended("cmd_example")).toMatchObject({ state: "succeeded", result: { applied: { added: 1 } } });
  const { data = {} } = await client.request<Stored>({ path: pathOf("secrets/greeting-outputs") });
  expect(Buffer.from(data["greeting"] ?? "", "base64").toString()).toBe("Hello, world!");
});

interface Stored {
  readonly data?: Record<string, string>;
}

interface Ended {
  readonly state: string;
  readonly code: string;
  readonly message: string;
  readonly result: object;
}

async function submit(id: string, spec: object, changes: object = {}): Promise<void> {
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  await hub.submit(signer, testEnvelope({ id, spec, ...times, ...changes }));
}

async function ended(id: string): Promise<Ended> {
  await until(() => hub.commands.get(id)?.outcome !== undefined, `${id} ends`, { timeoutMs: 60_000 });
  const { state = "", code = "", message = "", resultJson } = hub.commands.get(id)?.outcome ?? {};
  return { state: String(state), code, message, result: JSON.parse(Buffer.from(resultJson ?? []).toString() || "{}") };
}

function logOf(id: string): string {
  return hub.commands.get(id)?.log.toString() ?? "";
}

/** Those that aren't compressed are as they are. */
function readRecord(encoded: string): string {
  const bytes = Buffer.from(encoded, "base64");
  return bytes[0] === 0x1f ? gunzipSync(bytes).toString() : bytes.toString();
}

async function post(resource: string, body: object): Promise<void> {
  await client.request({ method: "POST", path: pathOf(resource), body });
}

function pathOf(path: string): string {
  return `/api/v1/namespaces/${team.name}/${path}`;
}

const hidden = "hidden-in-json-42";
