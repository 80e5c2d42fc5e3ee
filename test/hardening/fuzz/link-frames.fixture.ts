import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Frame,
  FrameWriter,
  formatHead,
  formatOpen,
  formatResume,
  formatSettings,
  formatTrailers,
  frameTypes,
  headerBytes,
  type OpenHead,
  parseResume,
  parseResumeAnswer,
  readFrame,
  readResume,
} from "../../../packages/protocol/src/link/wire/index.ts";
import { hostileBytes, hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const open: OpenHead = {
  target: "kubernetes",
  method: "GET",
  path: "/api/v1/pods?limit=5",
  headers: ["Accept", "application/json"],
  upgrade: false,
  requestId: "req-1",
  deadlineMs: 30_000,
  identity: { user: "ann", groups: ["devs"], extra: { scopes: ["a"] } },
  cluster: "east",
};
const settings = { versions: [1], streams: 100, resume: true, session: "a".repeat(22), lanes: 2, headBytes: 1_572_864 };
const jsons = [
  formatOpen(open, 65_536),
  formatHead({ status: 200, headers: ["Content-Type", "text/plain"] }),
  formatTrailers(["Grpc-Status", "0"]),
  formatSettings(settings),
  '{"reason":"stopping","drainMs":1000,"reconnectAfterMs":5}',
];
const frames = [
  written((writer) => writer.json(frameTypes.open, 1, false, jsons[0] ?? "")),
  written((writer) => writer.json(frameTypes.head, 1, true, jsons[1] ?? "")),
  written((writer) => writer.part(1, Buffer.alloc(16_384, " "))),
  written((writer) => writer.data(1, true, 2 ** 33, [Buffer.from("data")], 4)),
  written((writer) => writer.reset(1, 3, "why")),
  written((writer) => writer.window(1, 9)),
  written((writer) => writer.ping(7, 1_000)),
];
const resumes = [
  formatResume({ session: "a".repeat(22), lane: 0, received: 5, orBegin: true }),
  formatResume({ received: 9 }),
  formatResume({ begin: true }),
].map((frame) => frame.toString("utf8", headerBytes));
const token = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
const line = fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,20}$/);
const headers = fc.array(fc.tuple(token, line), { maxLength: 5 }).map((lines) => lines.flat());

export const linkFrames: Fuzzer = {
  parser: "link frames",
  rules: [
    rule("any bytes are a frame, or refused by a code", {
      input: hostileBytes(frames),
      check(bytes) {
        const before = Buffer.from(bytes);
        const frame = readOr(() => readFrame(bytes));
        if (frame) checkFrame(frame, bytes);
        assert.deepEqual(bytes, before, "reading changed the frame");
      },
    }),
    rule("a head of any text is one that no line can break out of, or malformed", {
      input: fc.tuple(
        fc.constantFrom(...Object.values(frameTypes)),
        hostileText(jsons),
        fc.oneof(fc.constant(1), fc.nat(2 ** 31)),
      ),
      check([type, text, stream]) {
        const head = Buffer.alloc(headerBytes);
        head[0] = type;
        head.writeUInt32BE(stream, 4);
        const bytes = Buffer.concat([head, Buffer.from(text)]);
        const frame = readOr(() => readFrame(bytes));
        if (frame) checkFrame(frame, bytes);
      },
    }),
    rule("what is written is what is read", {
      input: fc.record({
        stream: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        fin: fc.boolean(),
        offset: fc.maxSafeNat(),
        payload: fc.uint8Array({ maxLength: 100 }),
        headers,
        status: fc.integer({ min: 200, max: 999 }),
        path: fc.stringMatching(/^\/[\x21-\x7e\x80-\xff]{0,30}$/),
        windowBytes: fc.nat(2 ** 31 - 1),
      }),
      check({ stream, fin, offset, payload, headers: lines, status, path, windowBytes }) {
        const chunks = [payload.subarray(0, 7), payload.subarray(7)];
        const data = readFrame(written((writer) => writer.data(stream, fin, offset, chunks, payload.length)));
        const bytes = Buffer.from(payload);
        assert.deepEqual({ ...data }, { kind: "data", stream, fin, offset, bytes });
        const head = { status, headers: lines };
        assert.deepEqual(readFrame(written((writer) => writer.json(frameTypes.head, stream, fin, formatHead(head)))), {
          kind: "head",
          stream,
          fin,
          head,
        });
        const asked = { ...open, headers: lines, path };
        const frame = readFrame(
          written((writer) => writer.json(frameTypes.open, stream, fin, formatOpen(asked, windowBytes))),
        );
        assert.ok(frame.kind === "open");
        assert.deepEqual(
          JSON.parse(formatOpen(frame.open, frame.windowBytes)),
          JSON.parse(formatOpen(asked, windowBytes)),
        );
      },
    }),
    rule("a RESUME of any text is one, or refused by a code", {
      input: hostileText(resumes),
      check(text) {
        const frame = Buffer.concat([Buffer.of(frameTypes.resume, 0, 0, 0, 0, 0, 0, 0), Buffer.from(text)]);
        const json = readResume(frame) ?? "";
        const resume = readOr(() => parseResume(json));
        if (resume) assert.deepEqual(parseResume(readResume(formatResume(resume)) ?? ""), resume);
        const answer = readOr(() => parseResumeAnswer(json));
        if (answer) assert.deepEqual(parseResumeAnswer(readResume(formatResume(answer)) ?? ""), answer);
      },
    }),
  ],
};

function checkFrame(frame: Frame, bytes: Buffer): void {
  if (frame.kind === "open") {
    checkLines(frame.open.headers);
    assert.match(frame.open.path, /^\/[\x21-\x7e\x80-\xff]*$/);
    for (const text of textsOf(frame.open.identity)) assert.doesNotMatch(text, /[\r\n\0]/);
  }
  if (frame.kind === "head") checkLines(frame.head.headers);
  if (frame.kind === "end") checkLines(frame.trailers);
  if (frame.kind === "data") assert.ok(frame.bytes.length <= bytes.length);
  if (frame.kind === "reset") assert.ok(Buffer.byteLength(frame.text) <= 3 * 1_024);
}

function checkLines(headers: readonly string[]): void {
  assert.equal(headers.length % 2, 0);
  for (const text of headers) assert.doesNotMatch(text, /[\r\n\0]/);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? [...Object.keys(value), ...Object.values(value).flatMap(textsOf)]
    : [];
}

function written(write: (writer: FrameWriter) => void): Buffer {
  const parts: Buffer[] = [];
  write(
    new FrameWriter({
      send(head, headBytes, payload = []) {
        parts.push(Buffer.from(head.subarray(0, headBytes)), ...payload.map((part) => Buffer.from(part)));
      },
    }),
  );
  return Buffer.concat(parts);
}
