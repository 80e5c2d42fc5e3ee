// Releases that a run left half done, or that others are at work on.
import { until } from "@fairlead/kernel/testing";
import { packRelease, unpackRelease } from "@fairlead/kube";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chart, configMap, deployment, type Harness, hookJob, openHarness } from "./harness.fixture.ts";
import { helmRunner } from "./index.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const waiting = {
  chart: chart({ "web.json": deployment("web"), "cm.json": configMap("web") }),
  wait: { timeoutSeconds: 60 },
};

test("scenario 1: an agent that is killed during an installation is followed by one that ends it, once", async () => {
  const record = await killWhile(waiting, async () => (await statusOrNone(1)) === "pending-install");
  expect(await status(1)).toBe("pending-install");
  const next = harness.task(waiting, { record });
  const running = helmRunner.run(next);
  await until(async () => (await statusOrNone(2)) === "pending-upgrade", "it goes on");
  const { json, failure } = await harness.whileReady("web", running);
  expect(failure).toBeUndefined();
  expect(json).toMatchObject({
    revision: 2,
    status: "deployed",
    history: [{ revision: 2 }, { revision: 1, status: "superseded" }],
  });
  expect(next.lines).toContain("repaired: sh.helm.release.v1.web.v1 was pending-install and is failed now");
});

test("scenario 1: an agent that is killed during an upgrade is followed by one that ends it; what is done isn't done again", async () => {
  await harness.run({ chart: chart({ "cm.json": configMap("web") }) });
  const record = await killWhile(waiting, async () => (await statusOrNone(2)) === "pending-upgrade");
  const next = harness.task(waiting, { record });
  const running = helmRunner.run(next);
  await until(async () => (await statusOrNone(3)) === "pending-upgrade", "it goes on");
  expect(await harness.whileReady("web", running)).toMatchObject({
    failure: undefined,
    json: { revision: 3, status: "deployed" },
  });

  // It was done, and the agent died before it could say so.
  const again = await harness.run(waiting, { record: next.record.json });
  expect(again).toMatchObject({ failure: undefined, json: { revision: 3, status: "deployed" } });
  expect(again.lines).toContain("goes on: revision 3 was made by a run that died since");
  expect(await statusOrNone(4)).toBeUndefined();
});

test("scenario 1: what an earlier command left is repaired, and a pending release of somebody else's isn't touched", async () => {
  await killWhile(waiting, async () => (await statusOrNone(1)) === "pending-install", "cmd_earlier");
  const quick = { chart: chart({ "cm.json": configMap("web") }) };
  expect(await harness.run(quick)).toMatchObject({ failure: undefined, json: { revision: 2, status: "deployed" } });

  const pending = await makePending(2, "somebody");
  for (const spec of [quick, { action: "rollback" }, { action: "uninstall" }])
    await expect(harness.run(spec)).rejects.toMatchObject({
      code: "HELM_RELEASE_BUSY",
      message: expect.stringMatching(
        /^The release web has been pending-upgrade at revision 2 since 20.*, by somebody\.$/,
      ),
    });
  expect((await harness.get("secrets/sh.helm.release.v1.web.v2")).metadata.resourceVersion).toBe(pending);
});

test("scenario 2: a stop of the agent leaves the release to the next one; a cancel ends it", async () => {
  const stopped = harness.task(waiting);
  const left = helmRunner.run(stopped);
  await until(async () => (await statusOrNone(1)) === "pending-install", "it waits");
  stopped.lose();
  await expect(left).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });

  const cancelled = harness.task({ ...waiting, atomic: true }, { id: "cmd_next" });
  const ended = helmRunner.run(cancelled);
  await until(async () => (await statusOrNone(2)) === "pending-upgrade", "it waits");
  cancelled.cancel();
  const { failure, json } = await ended;
  expect(failure?.code).toBe("COMMAND_CANCELLED");
  expect(json).toMatchObject({ status: "absent", undone: "removed what was installed" });
  expect(await harness.exists("deployments/web")).toBe(false);
});

test("scenario 25: a command that is cancelled while no agent has it is put right by the next one; a forced cancel ends it at once", async () => {
  const record = await killWhile(waiting, async () => (await statusOrNone(1)) === "pending-install");
  const cancelled = harness.task({ ...waiting, atomic: true }, { record });
  cancelled.cancel();
  expect(await helmRunner.run(cancelled)).toMatchObject({
    failure: { code: "COMMAND_CANCELLED" },
    json: { status: "absent", undone: "removed what was installed" },
  });
  const forced = harness.task({ ...waiting, atomic: true }, { id: "cmd_forced" });
  const ended = helmRunner.run(forced);
  await until(async () => (await statusOrNone(1)) === "pending-install", "it waits");
  forced.cancel("forced");
  expect(await ended).toMatchObject({
    failure: { code: "COMMAND_CANCELLED" },
    json: { revision: 1, status: "failed" },
  });
  const early = harness.task({ action: "uninstall" });
  early.cancel();
  await expect(helmRunner.run(early)).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(await statusOrNone(1)).toBe("failed");
});

test("scenario 16: a failed upgrade is rolled back, also by another agent that goes on with it", async () => {
  await harness.run({ chart: chart({ "cm.json": configMap("web", { a: "1" }) }) });
  const short = { ...waiting, wait: { timeoutSeconds: 3 }, atomic: true };
  const undone = await harness.run(short);
  expect(undone.failure).toMatchObject({
    code: "HELM_NOT_READY",
    message: expect.stringContaining("Deployment web: 0 of 1"),
  });
  expect(undone.json).toMatchObject({ revision: 3, status: "deployed", undone: "rolled back to revision 1" });
  expect(await harness.exists("deployments/web")).toBe(false);

  const record = await killWhile(
    { ...short, chart: chart({ "web.json": deployment("web"), "hook.json": hookJob("back", "pre-rollback") }) },
    async () => (await statusOrNone(5)) === "pending-rollback",
  );
  const told = await harness.run(short, { record });
  expect(told.failure).toMatchObject({ code: "HELM_NOT_READY" });
  expect(told.json).toMatchObject({ revision: 6, status: "deployed", undone: "rolled back to revision 3" });
});

/** As by SIGKILL: from then on nothing of it reaches the cluster. Returns what its record says. */
async function killWhile(spec: object, isThere: () => Promise<boolean>, id = "cmd_test"): Promise<string | undefined> {
  const killed = harness.task(spec, { id });
  const ended = helmRunner.run(killed).then(
    () => "done",
    (error: { code: string }) => error.code,
  );
  await until(isThere, "it is in the middle");
  killed.lose();
  expect(await ended).toBe("COMMAND_LEASE_LOST");
  return killed.record.json;
}

async function status(revision: number): Promise<string | undefined> {
  return (await harness.get(`secrets/sh.helm.release.v1.web.v${revision}`)).metadata.labels?.["status"];
}

function statusOrNone(revision: number): Promise<string | undefined> {
  return status(revision).catch(() => undefined);
}

async function makePending(revision: number, manager: string): Promise<string> {
  const path = `secrets/sh.helm.release.v1.web.v${revision}`;
  const secret = await harness.get(path);
  const release = (await unpackRelease(secret)) as { info: object };
  const data = { release: await packRelease({ ...release, info: { ...release.info, status: "pending-upgrade" } }) };
  await harness.send("PATCH", `${path}?fieldManager=${manager}`, {
    metadata: { labels: { status: "pending-upgrade" } },
    data,
  });
  return (await harness.get(path)).metadata.resourceVersion;
}
