// Watches that end for a reason of the hub's or the link's: their clients are told by a last event.
import { gzipSync } from "node:zlib";
import { type LinkStream, resetCodes } from "@fairlead/protocol";
import { describe, expect, test } from "vitest";
import { createTestAccess } from "./ports.fixture.ts";
import { openProxyHarness, type ProxyHarnessOptions } from "./proxy-harness.fixture.ts";

const event = '{"type":"ADDED","object":{}}\n';
const json = ["Content-Type", "application/json"];

describe("a watch whose link is lost", () => {
  test("between two events ends with one that says so", async () => {
    await using watch = await openWatch({ headers: json, body: event });
    watch.stream.reset(resetCodes.linkLost);
    const [first, last, ...rest] = (await watch.text()).split("\n");
    expect([`${first}\n`, rest]).toEqual([event, [""]]);
    expect(JSON.parse(last ?? "")).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", apiVersion: "v1", status: "Failure", code: 504, reason: "Timeout" },
    });
    expect(last).toContain('the watch in cluster \\"east\\" can\'t go on');
    expect(watch.harness.failures).toMatchObject([{ status: 200, error: { code: expect.any(String) } }]);
  });

  test("before its first event, too", async () => {
    await using watch = await openWatch({ headers: json, body: "" });
    watch.stream.reset(resetCodes.linkLost);
    expect(await watch.text()).toMatch(/^\{"type":"ERROR".*\}\n$/);
  });

  test("within an event is cut off", async () => {
    await using watch = await openWatch({ headers: json, body: event + event.slice(0, 9) });
    watch.stream.reset(resetCodes.linkLost);
    await expect(watch.text()).rejects.toThrow();
  });

  test.each([
    ["packed", [...json, "Content-Encoding", "gzip"], gzipSync(event)],
    ["of a length that was announced", [...json, "Content-Length", "1000"], event],
    ["of another type", ["Content-Type", "text/plain"], event],
  ])("and that is %s is cut off", async (_, headers, body) => {
    await using watch = await openWatch({ headers, body });
    watch.stream.reset(resetCodes.linkLost);
    await expect(watch.text()).rejects.toThrow();
  });

  test("ends in protobuf and CBOR as their readers expect", async () => {
    for (const [type, at, magic] of [
      ["application/vnd.kubernetes.protobuf;stream=watch", 4, "\n\x05ERROR\x12"],
      ["application/cbor-seq", 0, "\xa2dtypeeERROR"],
    ] as const) {
      await using watch = await openWatch({ headers: ["Content-Type", type], body: "" });
      watch.stream.reset(resetCodes.linkLost);
      const bytes = Buffer.from(await watch.bytes());
      expect(bytes.subarray(at).toString("latin1").startsWith(magic)).toBe(true);
      if (at === 4) expect(bytes.readUInt32BE()).toBe(bytes.byteLength - 4);
    }
  });
});

test("a list whose link is lost is cut off, as nothing can be added to it", async () => {
  await using watch = await openWatch({ headers: json, body: event, path: "/api/v1/pods" });
  watch.stream.reset(resetCodes.linkLost);
  await expect(watch.text()).rejects.toThrow();
});

test("a right that ends is said as it is", async () => {
  const access = createTestAccess();
  await using watch = await openWatch({ headers: json, body: event, ports: { access } });
  access.change({ decide: () => ({ allowed: false, reason: "no longer" }) as never });
  const [, last = ""] = (await watch.text()).split("\n");
  expect(JSON.parse(last)).toMatchObject({ type: "ERROR", object: { code: 403, reason: "Forbidden" } });
});

test.each([
  ["because its link is lost", (watch: OpenWatch) => watch.stream.reset(resetCodes.linkLost)],
  ["because the agent ends it", (watch: OpenWatch) => watch.stream.reset(resetCodes.refused)],
  ["because the hub stops", (watch: OpenWatch) => watch.harness.proxy.endWatches()],
])("a watch with bookmarks that ends %s says first how far its client has come", async (_, end) => {
  const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", resourceVersion: "7" } };
  const body = `${JSON.stringify({ type: "ADDED", object: pod })}\n`;
  const path = "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5";
  await using watch = await openWatch({ headers: json, body, path });
  end(watch);
  const events = (await watch.text()).trimEnd().split("\n");
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { type: "ADDED" },
    { type: "BOOKMARK", object: { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "7" } } },
    { type: "ERROR" },
  ]);
});

test("no watch is asked for packed", async () => {
  let asked: readonly string[] = [];
  await using watch = await openWatch({ headers: json, body: event, onOpen: ({ open }) => (asked = open.headers) });
  expect(asked.map((line) => line.toLowerCase())).not.toContain("accept-encoding");
  watch.stream.reset(resetCodes.linkLost);
  await watch.text();
});

type OpenWatch = Awaited<ReturnType<typeof openWatch>>;

async function openWatch(options: {
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
  readonly path?: string;
  readonly ports?: ProxyHarnessOptions["ports"];
  readonly onOpen?: (stream: LinkStream) => void;
}) {
  const { headers, body, path = "/api/v1/pods?watch=1", ports = {}, onOpen } = options;
  const opened = Promise.withResolvers<LinkStream>();
  const harness = await openProxyHarness({
    ports,
    accept(stream) {
      onOpen?.(stream);
      stream.respond({ status: 200, headers: [...headers] });
      if (body.length > 0) stream.write(Buffer.from(body));
      opened.resolve(stream);
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const answer = await fetch(`${harness.url}${path}`, { headers: { authorization: "Bearer good" } });
  const reader = answer.body?.getReader();
  const chunks: Uint8Array[] = [];
  if (body.length > 0 && !headers.includes("gzip")) chunks.push((await reader?.read())?.value ?? new Uint8Array());
  const bytes = async (): Promise<Uint8Array> => {
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return Buffer.concat(chunks);
      chunks.push(part.value);
    }
  };
  return {
    harness,
    stream: await opened.promise,
    bytes,
    text: async () => Buffer.from(await bytes()).toString(),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}
