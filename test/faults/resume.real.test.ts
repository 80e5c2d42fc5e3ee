// A cable that is cut for ten seconds: whoever is in the middle of something sees a pause, and every byte once.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followCommand } from "../fleet/follow-command.ts";
import { readMetric } from "../fleet/metrics.ts";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const mebibyte = 2 ** 20;
const cutMs = 10_000;
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
  await runPod(fleet, "hello");
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("exec, logs -f, a watch and an upload of 256 MiB go on after ten seconds without a cable", async () => {
  const { name: namespace } = fleet.namespace;
  await using exec = follow(["exec", "-i", "hello", "--", "cat"]);
  await using watch = follow(["get", "configmaps", "--watch", "--output-watch-events"]);
  const log = (text: string) => fleet.cluster.writeLog({ namespace, pod: "hello", container: "main", text });
  await log("line 0\n");
  await using logs = follow(["logs", "-f", "hello"]);
  exec.write("typed 0\n");
  await Promise.all([exec.waitFor(/typed 0\n/), logs.waitFor(/line 0\n/), watch.waitFor(/kube-root-ca/)]);
  await using target = await startUploadTarget();
  const body = randomBytes(256 * mebibyte);
  const upload = send(`/api/v1/namespaces/${namespace}/pods/hello:${target.port}/proxy/`, body);
  await waitUntil(() => target.receivedBytes > 16 * mebibyte, { timeoutMs: 60_000 });

  fleet.joined.cable.cut();
  expect(target.receivedBytes).toBeLessThan(body.length);
  for (let line = 1; line <= 5; line++) {
    exec.write(`typed ${line}\n`);
    await log(`line ${line}\n`);
    await fleet.cluster.kubectl(["--namespace", namespace, "create", "configmap", `seen-${line}`]);
    await delay(cutMs / 5);
  }
  expect(target.receivedBytes).toBeLessThan(body.length);
  expect(exec.output).not.toMatch(/typed 5/);
  fleet.joined.cable.heal();
  const healedAt = performance.now();

  await exec.waitFor(/typed 5\n/);
  expect(performance.now() - healedAt).toBeLessThan(10_000);
  expect(await upload).toEqual({ status: 200, text: createHash("sha256").update(body).digest("hex") });
  await Promise.all([logs.waitFor(/line 5\n/), watch.waitFor(/ADDED\s+seen-5/)]);
  expect(exec.output).toBe(numbered("typed"));
  expect(logs.output).toBe(numbered("line"));
  expect(watch.output.match(/ADDED\s+seen-\d/g)?.map((line) => line.slice(-1))).toEqual(["1", "2", "3", "4", "5"]);
  expect([exec.exitCode, logs.exitCode, watch.exitCode]).toEqual([undefined, undefined, undefined]);
  expect(await readMetric(fleet.hub, "fairlead_link_resumes_total")).toBeGreaterThan(0);
});

test("a hub that forgot the link leaves nothing running behind its agent, and has it back", async () => {
  await using target = await startUploadTarget();
  const path = `/api/v1/namespaces/${fleet.namespace.name}/pods/hello:${target.port}/proxy/`;
  const upload = send(path, Buffer.alloc(mebibyte), 2 * mebibyte).catch((error: Error) => error);
  await waitUntil(() => target.receivedBytes > 0, { timeoutMs: 60_000 });
  await fleet.hub.stop("KILL");
  expect(await upload).toBeInstanceOf(Error);
  expect(target.brokenOff).toBe(0);
  await fleet.hub.start();
  expect(await waitUntil(() => target.brokenOff === 1, { timeoutMs: 60_000 })).toBe(true);
  const version = `/k8s/clusters/${fleet.joined.name}/version`;
  const isServed = async () => (await requestHub(fleet.hub, version)).status === 200;
  expect(await waitUntil(isServed, { timeoutMs: 60_000 })).toBe(true);
});

function numbered(word: string): string {
  return Array.from({ length: 6 }, (_, line) => `${word} ${line}\n`).join("");
}

function follow(args: readonly string[]) {
  return followCommand(
    fleet.cluster.kubectlPath,
    ["--namespace", fleet.namespace.name, ...args],
    fleet.cluster.kubectlEnv(fleet.kubeconfig),
  );
}

function send(
  path: string,
  body: Buffer,
  sizeBytes = body.length,
): Promise<{ status: number | undefined; text: string }> {
  const { hub, joined } = fleet;
  return new Promise((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port: hub.port,
      ca: hub.caPem,
      agent: false,
      method: "POST",
      path: `/k8s/clusters/${joined.name}${path}`,
      headers: { authorization: `Bearer ${hub.adminToken}`, "content-length": sizeBytes },
    });
    call.once("error", reject);
    call.once("response", (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode, text }), reject);
    });
    call.write(body);
    if (sizeBytes === body.length) call.end();
  });
}

/** Stands for a server in the pod: answers with the digest of what it got. */
async function startUploadTarget() {
  let receivedBytes = 0;
  let brokenOff = 0;
  const server = createServer((req, res) => {
    const hash = createHash("sha256");
    req.on("data", (chunk: Buffer) => {
      receivedBytes += chunk.length;
      hash.update(chunk);
    });
    req.once("error", () => brokenOff++);
    req.once("end", () => res.end(hash.digest("hex")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get receivedBytes() {
      return receivedBytes;
    },
    get brokenOff() {
      return brokenOff;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
