// Sessions under a binding that has them recorded, by kubectl in both of its protocols.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Recording } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ hub: { args: ["--recording-max-size", "256Ki"] } });
  await runPod(fleet, "web");
  const binding = {
    subject: { kind: "admin-token", name: "admin" },
    role: "operator",
    clusters: { all: true },
    record: true,
  };
  const answer = await requestHub(fleet.hub, "/api/v1/bindings", { method: "POST", body: JSON.stringify(binding) });
  expect(answer.status, answer.text).toBe(201);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe.each([
  ["WebSocket", "true"],
  ["SPDY", "false"],
])("an exec over %s", (_, webSockets) => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };

  test("is recorded with what it printed, not with what was typed, and goes on as ever", async () => {
    const shell = ["exec", "-i", "web", "--", "sh", "-c", "echo first; cat >/dev/null; echo grüße >&2; exit 4"];
    const result = await fleet.kubectl(shell, { input: "typed-password", env, allowFailure: true });
    expect(result).toMatchObject({ code: 4, stdout: "first\n", stderr: expect.stringContaining("grüße") });

    const recording = await newest("complete");
    expect(recording).toMatchObject({ user: "admin", cluster: "east", pod: "web", container: "main", kind: "exec" });
    const events = await readEvents(recording.requestId);
    expect(events[0]).toMatchObject({ version: 2, title: expect.stringContaining("/web") });
    expect(textOf(events)).toContain("first\n");
    expect(textOf(events)).toContain("grüße\n");
    expect(JSON.stringify(events)).not.toContain("typed-password");
    const replay = await fleet.hub.cli(["audit", "recording", "replay", recording.requestId, "--speed", "100"], {
      allowFailure: true,
    });
    expect(replay.stdout).toContain("first");
  });

  test("to the main process, which is an attach, is recorded as well", async () => {
    const before = (await list()).length;
    const { stdout } = await fleet.kubectl(["attach", "-i", "web", "--quiet"], { input: "echoed\n", env });
    expect(stdout).toContain("echoed");

    await waitUntil(async () => (await list()).length === before + 1, { timeoutMs: 30_000 });
    const recording = await newest("complete");
    expect(recording).toMatchObject({ kind: "attach", pod: "web" });
    expect(textOf(await readEvents(recording.requestId))).toContain("echoed");
  });
});

test("a session ends when its recording is full", async () => {
  // Ends by itself long after that: an API server lets a command run on when nobody is left to read it.
  const shell = ["exec", "web", "--", "sh", "-c", "yes 0123456789012345678901234567890 | head -c 64000000"];
  const { code } = await fleet.kubectl(shell, { allowFailure: true });

  expect(code).not.toBe(0);
  expect(await newest("cut")).toMatchObject({ reason: expect.stringContaining("262144 bytes") });
});

test("what else goes through the hub isn't recorded", async () => {
  const before = (await list()).length;
  await fleet.kubectl(["get", "pods"]);
  await fleet.kubectl(["logs", "web"], { allowFailure: true });

  expect(await list()).toHaveLength(before);
});

test("a session that can't be recorded doesn't begin, and says why", async () => {
  const folder = join(fleet.hub.dataDir, "recordings");
  await rm(folder, { recursive: true });
  await writeFile(folder, "in the way");
  try {
    const { code, stderr, stdout } = await fleet.kubectl(["exec", "web", "--", "echo", "ran"], { allowFailure: true });

    expect(code).toBe(1);
    expect(stdout).not.toContain("ran");
    expect(stderr).toMatch(/can't write the recording that this session requires/);
  } finally {
    await rm(folder);
    await mkdir(folder, { mode: 0o700 });
  }
});

async function list(): Promise<Recording[]> {
  return ((await requestHub(fleet.hub, "/api/v1/audit/recordings")).json() as { items: Recording[] }).items;
}

async function newest(state: Recording["state"]): Promise<Recording> {
  await waitUntil(async () => (await list())[0]?.state === state, { timeoutMs: 30_000 });
  const [recording] = await list();
  if (!recording) throw new Error("nothing was recorded");
  return recording;
}

async function readEvents(requestId: string): Promise<unknown[]> {
  const { text } = await requestHub(fleet.hub, `/api/v1/audit/recordings/${requestId}`);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function textOf(events: readonly unknown[]): string {
  return events
    .slice(1)
    .map((event) => (event as [number, string, string])[2])
    .join("");
}
