// Runs that end on their way, and other writers meanwhile.
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import type { KubeClient } from "@fairlead/kube";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { openTestFence } from "../fence.fixture.ts";
import { openTofuHarness, type TofuHarness } from "./harness.fixture.ts";
import { planTofu } from "./plan.ts";
import { runTofu } from "./run.ts";

let harness: TofuHarness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-tofu-"));
});
beforeEach(async () => {
  harness = await openTofuHarness();
});
afterEach(async () => {
  await harness?.[Symbol.asyncDispose]();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a plan outlives the agent that made it, as nothing that anybody can read, and is applied as it was approved", async () => {
  const main = data({ secret: "canary-in-plan" });
  const planning = harness.task({ main });
  const { digest, isEmpty } = await planTofu(planning);
  expect(isEmpty).toBe(false);
  const pieces = (await harness.secretNames()).filter((name) => name.startsWith("fairlead-plan-"));
  expect(pieces).toHaveLength(1);
  const piece = Buffer.from((await harness.get(`secrets/${pieces[0]}`)).data?.["piece"] ?? "", "base64");
  expect(piece.subarray(28, 30).toString()).not.toBe("PK");
  // The spec's source isn't read any more: the plan has it all.
  const applying = harness.task({ main, record: planning.record.json, approvedDigest: digest, epoch: 2 });
  const result = await runTofu(applying);
  expect(result).toMatchObject({ json: { applied: { added: 1 } } });
  expect((await harness.secretNames()).filter((name) => name.startsWith("fairlead-plan-"))).toEqual([]);
  // Its agent died before anybody heard of it.
  const again = harness.task({ main, record: applying.record.json, approvedDigest: digest, epoch: 3 });
  expect(await runTofu(again)).toEqual(result);
  expect(again.lines).toEqual([]);
});

test("scenario 20: an approved plan isn't applied when it isn't there, isn't the same, or the state has moved", async () => {
  const main = data({ text: "one" });
  const planning = harness.task({ main });
  const { digest } = await planTofu(planning);
  const approved = { main, record: planning.record.json, approvedDigest: digest };
  const stale = { code: "COMMAND_PLAN_STALE" };
  await expect(runTofu(harness.task({ ...approved, approvedDigest: "0".repeat(64) }))).rejects.toMatchObject(stale);
  await expect(runTofu(harness.task({ ...approved, record: undefined }))).rejects.toMatchObject(stale);
  const other = harness.task({ main: data({ text: "two" }), id: "cmd_other" });
  expect(await runTofu(other)).toMatchObject({ json: { applied: { added: 1 } } });
  await expect(runTofu(harness.task(approved))).rejects.toMatchObject(stale);
  const [name] = (await harness.secretNames()).filter((each) => each.startsWith("fairlead-plan-"));
  const { data: before = {} } = await harness.get(`secrets/${name}`);
  const bytes = Buffer.from(before["piece"] ?? "", "base64");
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  await harness.send("PATCH", `secrets/${name}`, { data: { piece: bytes.toString("base64") } });
  await expect(runTofu(harness.task(approved))).rejects.toMatchObject(stale);
  await harness.send("DELETE", `secrets/${name}`);
  await expect(runTofu(harness.task(approved))).rejects.toMatchObject(stale);
  expect(await harness.holder()).toBeUndefined();
  expect(await planTofu(harness.task({ main: data({ text: "two" }) }))).toMatchObject({ isEmpty: true });
});

test("scenario 20: a lock of a person is told and left alone", async () => {
  const info = { ID: "12-34", Operation: "OperationTypeApply", Who: "ann@laptop", Created: "2026-01-02T03:04:05Z" };
  await harness.send("POST", "leases", {
    metadata: { name: "lock-tfstate-default-web", annotations: { "app.terraform.io/lock-info": JSON.stringify(info) } },
    spec: { holderIdentity: "12-34" },
  });
  const task = harness.task({ main: data({}), spec: { lockTimeoutSeconds: 1 } });
  await expect(runTofu(task)).rejects.toMatchObject({
    code: "TOFU_LOCKED",
    message: expect.stringMatching(/ann@laptop since 2026-01-02T03:04:05Z \(apply, id 12-34\)/),
  });
  expect(await harness.holder()).toBe("12-34");
  expect(await harness.secretNames()).toEqual([]);
});

test("scenario 3: an agent is killed while it applies: nothing of it is left running, and the next one takes its lock over and ends it", async () => {
  const mark = `sleep-${harness.namespace}`;
  const recordFile = join(folder, "record.json");
  const spec = specOf(`${data({ text: "first" })}\n${provisioned(`sleep 300; echo ${mark}`)}`);
  const agent = startAgent({ spec, recordFile });
  await until(async () => (await processesWith(mark)) > 0, "it is at work", { intervalMs: 100 });
  const id = await harness.holder();
  expect(id).toBeDefined();
  agent.kill("SIGKILL");
  const areGone = async () => (await processesWith(mark)) + (await processesWith(join(folder, "work-"))) === 0;
  await until(areGone, "nothing of it is left", { intervalMs: 100 });
  expect(await harness.holder()).toBe(id);
  // Another command finds a lock that isn't its own, and says whose it is.
  await expect(runTofu(harness.task({ spec, id: "cmd_other" }))).rejects.toMatchObject({
    code: "TOFU_LOCKED",
    message: expect.stringContaining("fairlead command cmd_test, epoch 1"),
  });
  const record = await readFile(recordFile, "utf8");
  const main = `${data({ text: "first" })}\n${provisioned("true")}`;
  const next = harness.task({ main, record, epoch: 2, folder, fence: await openTestFence(folder) });
  // The API server was out of its reach: what it had made by then was on the disk, and is known all the same.
  expect(await runTofu(next)).toMatchObject({
    json: { resources: [{ address: "terraform_data.slow" }], applied: { added: 1 } },
  });
  expect(next.lines).toContain("tofu: the lock is of a run of this command that died, and is taken over");
  expect(await harness.holder()).toBeUndefined();
});

test("a lock is opened also when the API server stays away for long after the state was stored", async () => {
  let isAway = false;
  const kube = refusing(harness.kube, (method, path) => {
    // From the moment at which the state is stored.
    if (method === "PUT" && path.includes("/secrets/tfstate-")) setTimeout(() => (isAway = true), 50);
    if (isAway) setTimeout(() => (isAway = false), 8_000).unref();
    return isAway && path.includes("/leases/");
  });
  const task = harness.task({ main: data({ text: "made" }), kube });
  expect(await runTofu(task)).toMatchObject({ json: { applied: { added: 1 } } });
  expect(await harness.holder()).toBeUndefined();
});

test("a lock of a command that has ended is opened by whoever finds it, and that of another isn't", async () => {
  const lock = async (id: string): Promise<void> => {
    const info = { ID: id, Info: `fairlead command ${id}-2, epoch 1`, Who: "fairlead-agent@gone", Records: "here" };
    await harness.send("POST", "leases", {
      metadata: {
        name: "lock-tfstate-default-web",
        annotations: { "app.terraform.io/lock-info": JSON.stringify(info) },
      },
      spec: { holderIdentity: id },
    });
  };
  await lock("cmd_ended");
  const ended = ["cmd_ended"];
  const task = harness.task({ main: data({ text: "made" }), ended });
  expect(await runTofu(task)).toMatchObject({ json: { applied: { added: 1 } } });
  expect(task.lines).toContain("tofu: the lock is of the command cmd_ended, which has ended, and is taken over");
  expect(await harness.holder()).toBeUndefined();
  await harness.send("DELETE", "leases/lock-tfstate-default-web");
  await lock("cmd_running");
  const other = harness.task({ main: data({ text: "made" }), ended, id: "cmd_other" });
  await expect(runTofu(other)).rejects.toMatchObject({ code: "TOFU_LOCKED" });
  expect(await harness.holder()).toBe("cmd_running");
});

test("scenario 25: a cancel lets OpenTofu store what it made, and nothing is left running", async () => {
  const mark = `sleep-${harness.namespace}`;
  const main = `${data({ text: "first" })}\n${provisioned(`sleep 300; echo ${mark}`)}`;
  const task = harness.task({ main });
  const running = runTofu(task);
  await until(async () => (await processesWith(mark)) > 0, "it is at work", { intervalMs: 100 });
  task.cancel();
  expect(await running).toMatchObject({ failure: { code: "COMMAND_CANCELLED" }, json: { applied: { added: 1 } } });
  expect(await processesWith(mark)).toBe(0);
  expect(await harness.holder()).toBeUndefined();
  const { json } = await planTofu(harness.task({ main, id: "cmd_next" }));
  expect(json).toMatchObject({ resources: [{ address: "terraform_data.slow" }] });
});

test("scenario 3: a state that can't be stored is kept, and the next command stores it first", async () => {
  const main = data({ text: "made" });
  const kube = refusing(harness.kube, (method, path) => method === "PUT" && path.includes("/secrets/tfstate-"));
  const task = { ...harness.task({ main, kube }), clock: hurried };
  expect(await runTofu(task)).toMatchObject({ failure: { code: "TOFU_STATE_UNSAVED" } });
  expect(await harness.secretNames()).toContain("fairlead-unsaved-tfstate-default-web-0");
  const next = harness.task({ main, id: "cmd_next" });
  expect(await runTofu(next)).toMatchObject({ json: { resources: [], applied: { added: 0 } } });
  expect(next.lines).toContain("tofu: the state that an earlier run couldn't store is stored");
  expect(await harness.secretNames()).toEqual(["tfstate-default-web"]);
});

function data(input: object): string {
  return `resource "terraform_data" "web" {\n  input = jsondecode(${JSON.stringify(JSON.stringify(input))})\n}`;
}

function provisioned(command: string): string {
  return `
resource "terraform_data" "slow" {
  depends_on = [terraform_data.web]
  provisioner "local-exec" { command = "${command}" }
}`;
}

function specOf(main: string): Record<string, unknown> {
  return { name: "web", namespace: harness.namespace, source: { files: { "main.tf": main } } };
}

function startAgent({ spec, recordFile }: { readonly spec: object; readonly recordFile: string }) {
  const script = join(import.meta.dirname, "die.fixture.ts");
  const argument = JSON.stringify({ kubeconfig: harness.kubeconfig, folder, spec, recordFile });
  const agent = spawn(process.execPath, ["--conditions=@fairlead/source", script, argument], {
    env: harness.environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void agent.kill("SIGKILL"));
  return agent;
}

/** By what stands in their arguments. */
async function processesWith(mark: string): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(mark) && !line.includes("die.fixture")).length;
}

function refusing(kube: KubeClient, isRefused: (method: string, path: string) => boolean): KubeClient {
  const pool: KubeClient["pool"] = {
    ...kube.pool,
    dispatch(request, handler) {
      if (isRefused(request.method, request.path)) throw new Error("refused");
      kube.pool.dispatch(request, handler);
    },
  };
  return { ...kube, pool };
}

const hurried = { ...systemClock, after: (ms: number, call: () => void) => systemClock.after(Math.min(ms, 5), call) };
