import { type FairleadError, isFairleadError } from "@fairlead/kernel";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createLinkBudget } from "../session/budget.ts";
import { openHead, SessionPair } from "../session/session-pair.fixture.ts";
import { type Frame, readFrame } from "./frame.ts";
import { frameTypes } from "./frame-types.ts";

const frameLike = fc
  .tuple(
    fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 255 })),
    fc.nat({ max: 255 }),
    fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 0x7fff_ffff })),
    fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.anything({ withNullPrototype: true }).map((value) => Buffer.from(JSON.stringify(value) ?? "")),
      fc.record({ ...almostOpen(), window: fc.anything() }).map((value) => Buffer.from(JSON.stringify(value))),
      fc.record({ status: fc.anything(), headers: fc.anything() }).map((value) => Buffer.from(JSON.stringify(value))),
    ),
  )
  .map(([type, flags, stream, payload]) => buildFrame(type, flags, stream, payload));

/** Parts of heads, and the frames that may end them. */
const partLike = fc
  .tuple(
    fc.constantFrom(frameTypes.part, frameTypes.part, frameTypes.open, frameTypes.head, frameTypes.reset),
    fc.nat({ max: 7 }),
    fc.oneof(fc.constantFrom(16_384, 65_536, 65_537), fc.nat({ max: 20_000 })),
  )
  .map(([type, stream, sizeBytes]) => buildFrame(type, 0, stream, Buffer.alloc(sizeBytes, " ")));

it("reads any bytes as a frame or as a coded error", () => {
  fc.assert(
    fc.property(fc.oneof(frameLike, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      const frame = tryRead(bytes);
      if (isFairleadError(frame)) expect(frame.code).toMatch(/^LINK_FRAME_/);
      else expect(frame.kind).toBeTypeOf("string");
    }),
    { numRuns: 2_000 },
  );
});

it("never hands a header on that could end a line, nor a head that isn't checked", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }),
      (name, line, path) => {
        const json = JSON.stringify({ ...openHead(), headers: [name, line], path, window: 1 });
        const frame = readFrame(buildFrame(frameTypes.open, 0, 1, Buffer.from(json)));
        if (frame.kind !== "open") {
          expect(frame.kind).toBe("malformed-open");
          return;
        }
        expect(frame.open.headers.join("")).not.toMatch(/[\r\n\0]/);
        expect(frame.open.path).toMatch(/^\/[^\s]*$/);
      },
    ),
    { numRuns: 600 },
  );
});

it("keeps a session on its feet, or closes it with a code, whatever the peer sends", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(frameLike, partLike), { maxLength: 40, size: "max" }), (frames) => {
      const hubBudget = createLinkBudget({ totalBytes: 2_000_000 });
      const pair = new SessionPair({ acceptOnHub: () => ({ onData() {}, onEnd() {}, onReset() {} }), hubBudget });
      pair.settle();
      pair.hub.session.openStream(openHead(), { onData() {}, onEnd() {}, onReset() {} });
      pair.hub.session.writable();
      for (const frame of frames) pair.hub.session.receive(frame);
      pair.hub.session.writable();
      const { closed } = pair.hub.carrier;
      if (closed) expect([4400, 4426]).toContain(closed.code);
      const { credit } = pair.hub.session.stats();
      expect(credit.heldBytes).toBeLessThanOrEqual(67_108_864);
      pair.hub.session.close("done");
      expect(pair.hub.session.stats().credit).toEqual({ heldBytes: 0, grantedBytes: 0, queuedBytes: 0 });
      expect(hubBudget.grantedBytes).toBe(0);
    }),
    { numRuns: 500 },
  );
});

it("ignores frame types and members that it doesn't know", () => {
  expect(readFrame(buildFrame(200, 255, 77, Buffer.from("anything")))).toEqual({ kind: "ignored", type: 200 });
  expect(readFrame(buildFrame(frameTypes.resume, 0, 0, Buffer.from("{}")))).toEqual({
    kind: "ignored",
    type: frameTypes.resume,
  });
  const settings = { versions: [1, 2], streams: 5, somethingNew: { a: 1 } };
  expect(readFrame(buildFrame(frameTypes.settings, 0, 0, Buffer.from(JSON.stringify(settings))))).toEqual({
    kind: "settings",
    settings: { versions: [1, 2], streams: 5, resume: false, lanes: 1, headBytes: 196_608 },
  });
  const open = JSON.stringify({ ...openHead(), window: 9, priority: "high" });
  expect(readFrame(buildFrame(frameTypes.open, 1, 3, Buffer.from(open)))).toEqual({
    kind: "open",
    stream: 3,
    fin: true,
    open: openHead(),
    windowBytes: 9,
  });
});

it("refuses frames over the bound by code", () => {
  expect(tryRead(Buffer.alloc(262_145))).toMatchObject({ code: "LINK_FRAME_TOO_LARGE" });
  expect(tryRead(buildFrame(frameTypes.data, 0, 1, Buffer.alloc(8 + 65_537)))).toMatchObject({
    code: "LINK_FRAME_TOO_LARGE",
  });
  expect(tryRead(Buffer.alloc(7))).toMatchObject({ code: "LINK_FRAME_TRUNCATED" });
  expect(tryRead(buildFrame(frameTypes.data, 0, 0, Buffer.alloc(8)))).toMatchObject({ code: "LINK_FRAME_INVALID" });
});

function tryRead(bytes: Uint8Array): Frame | FairleadError {
  try {
    return readFrame(bytes);
  } catch (thrown) {
    if (!isFairleadError(thrown)) throw thrown;
    return thrown;
  }
}

function buildFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header[1] = flags;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, payload]);
}

function almostOpen(): Record<keyof ReturnType<typeof openHead>, fc.Arbitrary<unknown>> {
  const { target, method, path, headers, upgrade, requestId, deadlineMs } = openHead();
  const or = (value: unknown): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, fc.anything());
  return {
    target: or(target),
    method: or(method),
    path: or(path),
    headers: or(headers),
    upgrade: or(upgrade),
    requestId: or(requestId),
    deadlineMs: or(deadlineMs),
    identity: or({ user: "alice", groups: ["devs"] }),
    cluster: or("east"),
  };
}
