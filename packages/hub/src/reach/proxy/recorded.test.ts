// Sessions that are kept, and streams that the limits slow down.

import { FairleadError } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { describe, expect, it } from "vitest";
import type { SessionTap } from "../../people/recordings/index.ts";
import { allowAll, createTestAccess, createTestAudit } from "./ports.fixture.ts";
import type { LimitsPort, RecordingPort } from "./ports.ts";
import { authorized, openProxyHarness } from "./proxy-harness.fixture.ts";
import { echo, openUpgrade } from "./upgrades.fixture.ts";

const recording = () =>
  createTestAccess((request) => ({ ...allowAll(request), record: true }) as ReturnType<typeof allowAll>);
const answer101 =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n";

describe("a session that is to be recorded", () => {
  it("shows its tap every byte of both directions, and its end once", async () => {
    const tap = createTap();
    const started: Started[] = [];
    await using harness = await openProxyHarness({
      ports: { access: recording(), recordings: startsWith(tap, started) },
      onUpgrade(_req, socket, head) {
        socket.write(`${answer101}hello `);
        echo(socket, head);
      },
    });
    const client = openUpgrade(harness.port, "SPDY/3.1");
    await until(() => client.text.endsWith("hello "), "the prompt");
    client.end("typed");
    await until(() => tap.ended === 1, "the end of the tap");
    expect([tap.client, tap.cluster]).toEqual(["typed", "hello typed"]);
    expect(started).toMatchObject([
      { cluster: "east", upgrade: "spdy/3.1", subprotocol: "v4.channel.k8s.io", principal: { name: "alice" } },
    ]);
  });

  it("doesn't begin when it can't be recorded", async () => {
    for (const recordings of [undefined, { start: () => fail("no disk") }]) {
      await using harness = await openProxyHarness({
        ports: { access: recording(), ...(recordings ? { recordings } : {}) },
        onUpgrade(_req, socket, head) {
          socket.write(`${answer101}secret`);
          echo(socket, head);
        },
      });
      const client = openUpgrade(harness.port, "SPDY/3.1");
      await until(() => client.readableEnded, "the refusal");
      expect(client.text).toMatch(/^HTTP\/1.1 503/);
      expect(client.text).not.toContain("secret");
    }
  });

  it("ends when its tap fails, and what wasn't recorded doesn't pass", async () => {
    const tap = createTap("poison");
    const audit = createTestAudit();
    await using harness = await openProxyHarness({
      ports: { access: recording(), audit, recordings: { start: () => tap } },
      onUpgrade(_req, socket, head) {
        socket.write(answer101);
        echo(socket, head);
      },
    });
    const client = openUpgrade(harness.port, "SPDY/3.1");
    await until(() => client.text.includes("101"), "the upgrade");
    client.write("fine");
    await until(() => client.text.endsWith("fine"), "the echo");
    client.write("poison");
    await until(() => client.readableEnded, "the end");
    expect(client.text).not.toContain("poison");
    expect(audit.records[0]?.outcome).toMatchObject({ status: 101, code: "TAP_TEST" });
    expect(tap.ended).toBe(1);
  });

  it("is known by an id that its client didn't choose, or another recording could stand in its place", async () => {
    const started: Started[] = [];
    const audit = createTestAudit();
    await using harness = await openProxyHarness({
      ports: { access: recording(), audit, recordings: startsWith(createTap(), started) },
      onUpgrade: (_req, socket) => void socket.end(answer101),
    });
    const client = openUpgrade(harness.port, "SPDY/3.1", ["X-Request-Id: mine"]);
    await until(() => client.text.includes("101"), "the upgrade");
    expect(started[0]?.requestId).not.toBe("mine");
    expect(audit.records[0]?.start.requestId).toBe(started[0]?.requestId);
  });

  it.each([
    "POST /api/v1/nodes/n/proxy/run/a/b/c?cmd=id",
    "GET /api/v1/nodes/n/proxy/exec/a/b/c?command=id",
    "GET /api/v1/proxy/nodes/n/exec/a/b/c?command=id",
  ])("doesn't begin behind the recorder's back: %s", async (line) => {
    const [method = "", path = ""] = line.split(" ");
    await using harness = await openProxyHarness({ ports: { access: recording() } });
    const answer = await fetch(harness.url + path, { method, headers: authorized });
    expect([answer.status, harness.streams.opened]).toEqual([403, 0]);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("isn't recorded") });
  });

  it("has an id that its client can't choose, under which it is found", async () => {
    const started: Started[] = [];
    await using harness = await openProxyHarness({
      ports: { access: recording(), recordings: startsWith(createTap(), started) },
      onUpgrade: (_req, socket) => void socket.end(answer101),
    });
    for (let time = 0; time < 2; time += 1) {
      const client = openUpgrade(harness.port, "SPDY/3.1", ["X-Request-Id: mine"]);
      await until(() => client.readableEnded, "the end");
    }
    expect(new Set(started.map(({ requestId }) => requestId)).size).toBe(2);
    expect(started[0]?.requestId).not.toBe("mine");
  });

  it("is only what runs in a pod: other upgrades aren't", async () => {
    const started: Started[] = [];
    await using harness = await openProxyHarness({
      ports: { access: recording(), recordings: startsWith(createTap(), started) },
      onUpgrade: (_req, socket) => void socket.end(answer101),
    });
    const client = openUpgrade(harness.port, "SPDY/3.1", [], "/api/v1/namespaces/a/pods/b/portforward");
    await until(() => client.text.includes("101"), "the upgrade");
    expect(started).toEqual([]);
  });
});

describe("a stream over its rate", () => {
  const chunks = 20;
  const bytes = Buffer.alloc(chunks * 64 * 1024, 1);

  it.each(["down", "up"])("is slowed %s, arrives whole, and doesn't pile up", async (direction) => {
    const limits = slow();
    await using harness = await openProxyHarness({
      ports: { limits },
      limits: { windowBytes: 64 * 1024 },
      upstream(req, res) {
        if (direction === "down") res.end(bytes);
        else req.pipe(res);
      },
    });
    const startedMs = performance.now();
    const answer = await fetch(harness.url, {
      headers: authorized,
      ...(direction === "up" ? { method: "POST", body: bytes } : {}),
    });
    const size = (await answer.arrayBuffer()).byteLength;
    expect(size).toBe(bytes.length);
    expect(limits.waits).toBeGreaterThan(0);
    expect(performance.now() - startedMs).toBeGreaterThan(50);
  });

  it("is slowed after an upgrade too", async () => {
    const limits = slow();
    await using harness = await openProxyHarness({
      ports: { limits },
      onUpgrade(_req, socket, head) {
        socket.write(answer101);
        echo(socket, head);
      },
    });
    const client = openUpgrade(harness.port, "SPDY/3.1");
    await until(() => client.text.includes("101"), "the upgrade");
    const before = client.text.length;
    client.write(bytes);
    await until(() => client.text.length - before === bytes.length, "all of it back");
    expect(limits.waits).toBeGreaterThan(0);
  });
});

type Started = Parameters<RecordingPort["start"]>[0];

function startsWith(tap: SessionTap, started: Started[]): RecordingPort {
  return {
    start(info) {
      started.push(info);
      return tap;
    },
  };
}

/** 8 MiB a second, however large the pieces are that it comes in. */
function slow(): LimitsPort & { waits: number } {
  let dueMs = performance.now();
  const limits = {
    waits: 0,
    admit: () => ({
      release() {},
      pace(sizeBytes: number) {
        const nowMs = performance.now();
        dueMs = Math.max(dueMs, nowMs) + sizeBytes / 8_388.608;
        limits.waits += 1;
        return Math.ceil(dueMs - nowMs);
      },
    }),
  };
  return limits;
}

function createTap(poison?: string): SessionTap & { client: string; cluster: string; ended: number } {
  const tap = {
    client: "",
    cluster: "",
    ended: 0,
    fromClient(chunk: Uint8Array) {
      const text = Buffer.from(chunk).toString();
      if (text === poison) fail("the tap is full");
      tap.client += text;
    },
    fromCluster(chunk: Uint8Array) {
      tap.cluster += Buffer.from(chunk).toString();
    },
    end() {
      tap.ended += 1;
    },
  };
  return tap;
}

function fail(message: string): never {
  throw new FairleadError({ code: "TAP_TEST", message, httpStatus: 503 });
}
