// A cut in the middle of an answer must never look like its end, whoever it was that broke.
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BulkPod, startBulkPod } from "../fleet/bulk-pod.ts";
import { openDownload } from "../fleet/open-download.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const gibibyte = 2 ** 30;
let fleet: Fleet;
let pod: BulkPod;

beforeAll(async () => {
  fleet = await startFleet();
  pod = await startBulkPod(fleet);
});
afterAll(async () => {
  await pod?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});
beforeEach(async () => expect(await isServed()).toBe(true));

test("the agent is killed in the middle of an answer: the client sees an error, and a new agent serves again", async () => {
  const download = await startDownload();
  await fleet.joined.agent.stop("KILL");
  expect((await download.ended).how).toBe("broken");
  expect(download.receivedBytes).toBeLessThan(gibibyte);
  await fleet.joined.agent.start();
});

test("the cable is cut in the middle of an answer: the client sees an error, and all is well after", async () => {
  const download = await startDownload();
  fleet.joined.cable.cut();
  expect((await download.ended).how).toBe("broken");
  fleet.joined.cable.heal();
});

test("a cluster is revoked in the middle of an answer: its link is cut at once and stays cut", async () => {
  const tokenFile = `${fleet.hub.dataDir}/../again.token`;
  const download = await startDownload();
  await fleet.hub.cli(["cluster", "revoke", fleet.joined.name, "--reason", "test"]);
  expect((await download.ended).how).toBe("broken");
  const { status } = await requestHub(fleet.hub, `/k8s/clusters/${fleet.joined.name}/version`);
  expect(status).toBe(503);
  // A new token enrolls it again, without a new installation.
  await fleet.hub.cli(["cluster", "token", "create", fleet.joined.name, "--token-out", tokenFile]);
  const { copyFile } = await import("node:fs/promises");
  await copyFile(tokenFile, `${fleet.joined.agent.stateDir}/token`);
});

async function startDownload() {
  const download = await openDownload(fleet.hub, pod.download(gibibyte));
  expect(download.status).toBe(200);
  download.resume();
  await waitUntil(() => download.receivedBytes > 1 << 20, { timeoutMs: 60_000 });
  download.pause();
  expect(download.receivedBytes).toBeLessThan(gibibyte);
  queueMicrotask(() => download.resume());
  return download;
}

function isServed(): Promise<boolean> {
  const path = `/k8s/clusters/${fleet.joined.name}/version`;
  return waitUntil(async () => (await requestHub(fleet.hub, path)).status === 200, { timeoutMs: 60_000 });
}
