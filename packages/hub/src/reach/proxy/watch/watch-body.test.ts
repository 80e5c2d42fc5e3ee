// What the hub adds to a watch that it ends: how far the client has come, where it asked for that, and why it ends.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proxyErrors } from "../errors.ts";
import { toStatus } from "../status.ts";
import type { WatchFormat } from "./event-tracker.ts";
import { encodeBookmark, encodeErrorEvent } from "./own-events.ts";
import { readEvent } from "./read-event.ts";
import { openWatchBody } from "./watch-body.ts";

const status = toStatus(proxyErrors.PROXY_WATCH_ENDED(), { requestId: "id" });
const path = "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5";
const contentTypes: Readonly<Record<WatchFormat, string>> = {
  json: "application/json",
  protobuf: "application/vnd.kubernetes.protobuf;stream=watch",
  cbor: "application/cbor-seq",
};

describe.each(["json", "protobuf", "cbor"] as const)("a watch in %s that asked for bookmarks", (format) => {
  const [seven, eight] = ["7", "8"].map((resourceVersion) =>
    encodeBookmark(format, { apiVersion: "v1", kind: "Pod", resourceVersion }),
  ) as [Buffer, Buffer];

  test("ends with the version of its last event, and then with the error, however the events came", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(seven.byteLength + eight.byteLength), { maxLength: 20 }), (cuts) => {
        const body = open(format);
        const bytes = Buffer.concat([seven, eight]);
        let from = 0;
        for (const at of [...cuts.sort((a, b) => a - b), bytes.byteLength]) {
          body?.push(bytes.subarray(from, at));
          from = at;
        }
        expect(body?.lastEvents(status)).toEqual(Buffer.concat([eight, encodeErrorEvent(format, status)]));
      }),
    );
  });

  test("can be ended within an event by nothing", () => {
    const body = open(format);
    body?.push(Buffer.concat([seven, eight.subarray(0, 9)]));
    expect(body?.lastEvents(status)).toBeUndefined();
  });

  test("may be any bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), (chunks) => {
        const body = open(format);
        for (const chunk of chunks) body?.push(chunk);
        body?.lastEvents(status);
      }),
    );
  });
});

test.each([
  ["of another key", "&allowWatchBookmarks=true"],
  ["switched off", "?watch=1&allowWatchBookmarks=false&resourceVersion=5"],
  ["not asked for", "?watch=1&resourceVersion=5"],
])("no bookmark comes where it is %s", (_, query) => {
  expect(typesOf([added(7)], `/api/v1/pods${query}`)).toEqual(["ERROR"]);
});

describe("initial events come in any order, so that no bookmark comes", () => {
  const watch = "/api/v1/pods?watch=1&allowWatchBookmarks=1";

  test.each([
    ["of all there is", watch],
    ["of what a cache has", `${watch}&resourceVersion=0`],
    ["of a streamed list", `${watch}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5`],
  ])("%s before they are over", (_, asked) => {
    expect(typesOf([added(9), added(7)], asked)).toEqual(["ERROR"]);
    expect(typesOf([added(9), bookmark(10), added(11)], asked)).toEqual(["BOOKMARK 11", "ERROR"]);
  });

  test("and a change ends them but for a streamed list", () => {
    const changed = [added(9), event("MODIFIED", 12), added(13)];
    expect(typesOf(changed, watch)).toEqual(["BOOKMARK 13", "ERROR"]);
    expect(typesOf(changed, `${watch}&sendInitialEvents=true`)).toEqual(["ERROR"]);
  });
});

test.each([
  ["a name of the metadata that only looks like it", { annotations: { resourceVersion: "999" }, resourceVersion: "7" }],
  ["texts that look like members", { name: '","resourceVersion":"999', resourceVersion: "7" }],
  ["backslashes before quotes", { name: '\\\\"resourceVersion\\"', resourceVersion: "7" }],
])("the version is read despite %s", (_, metadata) => {
  const object = { apiVersion: "v1", another: { metadata: { resourceVersion: "999" } }, kind: "Pod", metadata };
  const line = `${JSON.stringify({ type: "ADDED", object: { ...object, z: [{ resourceVersion: "1" }] } })}\n`;
  expect(typesOf([line])).toEqual(["BOOKMARK 7", "ERROR"]);
});

test.each([
  ["a table, whose bookmark is a table", event("ADDED", 7, { kind: "Table", apiVersion: "meta.k8s.io/v1" })],
  ["an error of the server's own", event("ERROR", 7, { kind: "Status" })],
  ["an object without a version", '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}\n'],
  [
    "a version that isn't a text",
    '{"type":"ADDED","object":{"kind":"P","apiVersion":"v1","metadata":{"resourceVersion":7}}}\n',
  ],
  ["no JSON", '{"type":"ADDED","object":{"kind":"Pod\n'],
])("no bookmark comes after %s", (_, last) => {
  expect(typesOf([added(6), last])).toEqual(["ERROR"]);
});

test("of an event larger than 64 KiB nothing is kept and no version is known, until the next one comes", () => {
  const large = event("ADDED", 7, { spec: "x".repeat(70_000) });
  const body = open("json");
  for (let at = 0; at < large.length; at += 1_000) body?.push(Buffer.from(large.slice(at, at + 1_000)));
  expect(body?.lastEvents(status)?.toString()).toMatch(/^\{"type":"ERROR"/);
  body?.push(Buffer.from(added(8)));
  expect(body?.lastEvents(status)?.toString()).toMatch(/^\{"type":"BOOKMARK".*"8".*\n\{"type":"ERROR"/);
});

test("what is read of an event is what was written", () => {
  for (const format of ["json", "protobuf", "cbor"] as const) {
    const written = { apiVersion: "apps/v1", kind: "Deployment", resourceVersion: "18446744073709551615" };
    expect(readEvent(format, encodeBookmark(format, written))).toEqual({ type: "BOOKMARK", ...written });
  }
});

function open(format: WatchFormat, asked = path) {
  return openWatchBody({ path: asked, headers: ["Content-Type", contentTypes[format]], contentLength: -1 });
}

function typesOf(lines: readonly string[], asked?: string): string[] {
  const body = open("json", asked);
  for (const line of lines) body?.push(Buffer.from(line));
  const last = body?.lastEvents(status)?.toString().trimEnd().split("\n") ?? [];
  return last.map((line) => {
    const { type, object } = JSON.parse(line);
    return type === "BOOKMARK" ? `${type} ${object.metadata.resourceVersion}` : type;
  });
}

function event(type: string, version: number, more: object = {}): string {
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", resourceVersion: String(version) }, ...more };
  return `${JSON.stringify({ type, object })}\n`;
}

function added(version: number): string {
  return event("ADDED", version);
}

function bookmark(version: number): string {
  return event("BOOKMARK", version);
}
