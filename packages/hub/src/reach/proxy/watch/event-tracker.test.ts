import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proxyErrors } from "../errors.ts";
import { toStatus } from "../status.ts";
import { createEventTracker, type WatchFormat, watchFormatOf } from "./event-tracker.ts";
import { encodeErrorEvent } from "./own-events.ts";

const formats: readonly WatchFormat[] = ["json", "protobuf", "cbor"];
const status = toStatus(proxyErrors.PROXY_WATCH_ENDED(), { requestId: "id" });

test.each([
  [["Content-Type", "application/json"], "json"],
  [["content-type", "application/json;stream=watch"], "json"],
  [["Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"], "protobuf"],
  [["Content-Type", "application/cbor-seq"], "cbor"],
  [["Content-Type", "text/plain"], undefined],
  [["Content-Type", "application/json", "Content-Encoding", "gzip"], undefined],
  [[], undefined],
])("%j is a watch in %s", (headers, format) => {
  expect(watchFormatOf(headers)).toBe(format);
});

describe.each(formats)("events of %s", (format) => {
  const event = encodeErrorEvent(format, status);

  test("are whole at their ends and nowhere else, however they come", () => {
    const cuts = fc.array(fc.nat(3 * event.byteLength), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (at) => {
        const tracker = createEventTracker(format);
        const ends = [...new Set([...at, 3 * event.byteLength])].sort((a, b) => a - b);
        let from = 0;
        for (const end of ends) {
          tracker.push(Buffer.concat([event, event, event]).subarray(from, end));
          if (tracker.isBetweenEvents !== (end % event.byteLength === 0)) return false;
          from = end;
        }
        return true;
      }),
    );
  });

  test("may be any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const tracker = createEventTracker(format);
        tracker.push(bytes);
        return typeof tracker.isBetweenEvents === "boolean";
      }),
    );
  });
});

test.each([
  ["a number", "1864", true],
  ["a long number", "1b0020000000000000", true],
  ["half a number", "19", false],
  ["a map without a length", "bf61616162ff", true],
  ["a text without a length", "7f61616162ff", true],
  ["one that isn't closed", "9f01", false],
  ["a tagged map", "d9d9f7a0", true],
  ["a tag alone", "d9d9f7", false],
  ["a break without a beginning", "ff", false],
  ["a head that isn't one", "1c", false],
  ["a float and null", "fb3ff0000000000000f6", true],
  ["empty containers", "8180", true],
])("CBOR: %s", (_, hex, isWhole) => {
  const tracker = createEventTracker("cbor");
  for (const byte of Buffer.from(hex, "hex")) tracker.push(Buffer.from([byte]));
  expect(tracker.isBetweenEvents).toBe(isWhole);
});

test("CBOR that opens without end costs no memory", () => {
  const tracker = createEventTracker("cbor");
  for (let at = 0; at < 100; at++) tracker.push(Buffer.alloc(10_000, 0x9f));
  expect(tracker.isBetweenEvents).toBe(false);
});
