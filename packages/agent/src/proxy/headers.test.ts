import { expect, test } from "vitest";
import { readRequestLines, readResponseLines } from "./headers.ts";

test.each(["Authorization ", " impersonate-user", "X-REMOTE-User", "X-Remote_User", "x_remote-extra-a"])(
  "%j is refused whatever blanks or case it has",
  (name) => {
    expect(() => readRequestLines([name, "root"])).toThrow(expect.objectContaining({ code: "PROXY_HEADER_REFUSED" }));
  },
);

test("what is about the connection is dropped, with everything that Connection names", () => {
  const { lines, chunked } = readRequestLines([
    "Host",
    "h",
    "Connection",
    "close, X-Hop",
    "x-hop",
    "1",
    "TE",
    "trailers",
    "Keep-Alive",
    "1",
    "Expect",
    "100-continue",
    "Transfer-Encoding",
    "chunked",
    "Proxy-Authorization",
    "x",
    "Accept",
    "a",
    "Accept",
    "b",
  ]);
  expect(lines).toEqual(["Accept", "a", "Accept", "b"]);
  expect(chunked).toBe(true);
});

test("two lengths that differ are refused, the same one twice is one", () => {
  expect(readRequestLines(["Content-Length", "5", "content-length", "5"]).contentLength).toBe(5);
  expect(() => readRequestLines(["Content-Length", "5", "content-length", "6"])).toThrow(
    expect.objectContaining({ code: "PROXY_REQUEST_INVALID" }),
  );
  expect(() => readRequestLines(["Content-Length", "+5"])).toThrow();
});

test("an answer's lines keep order, case, repetition and bytes beyond ASCII", () => {
  const raw = ["Warning", "a", "warning", "b", "Connection", "X-Hop", "X-Hop", "1", "X-Name", "caf\u00e9"];
  expect(readResponseLines(raw.map((part) => Buffer.from(part, "latin1")))).toEqual([
    "Warning",
    "a",
    "warning",
    "b",
    "X-Name",
    "caf\u00e9",
  ]);
});
