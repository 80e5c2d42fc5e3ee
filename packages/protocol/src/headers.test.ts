import { expect, it } from "vitest";
import { dropHopByHop, dropNames, findHeader } from "./headers.ts";

it("drops hop-by-hop lines in any case and keeps order, case and repeats of the rest", () => {
  const raw = [
    "Host",
    "h",
    "X-Stream-Protocol-Version",
    "v4",
    "keep-ALIVE",
    "timeout=5",
    "Transfer-Encoding",
    "chunked",
  ];
  raw.push("x-stream-protocol-version", "v3", "TE", "trailers", "Upgrade", "SPDY/3.1", "Proxy-Connection", "x");
  expect(dropHopByHop(raw)).toEqual([
    "Host",
    "h",
    "X-Stream-Protocol-Version",
    "v4",
    "x-stream-protocol-version",
    "v3",
  ]);
});

it("drops what any Connection line lists, so that the identity must be set afterwards", () => {
  const raw = [
    "connection",
    "close, impersonate-USER ,",
    "Impersonate-User",
    "eve",
    "CONNECTION",
    "X-Other",
    "x-other",
    "1",
  ];
  expect(dropHopByHop(raw)).toEqual([]);
  expect([...dropHopByHop(raw), "Impersonate-User", "alice"]).toEqual(["Impersonate-User", "alice"]);
});

it("drops by predicate on the lower-case name", () => {
  const raw = ["IMPERSONATE-Extra-Scopes", "a", "Accept", "b", "impersonate-uid", "c"];
  expect(dropNames(raw, (name) => name.startsWith("impersonate-"))).toEqual(["Accept", "b"]);
});

it("finds the first line of a name in any case", () => {
  expect(findHeader(["A", "1", "aUdIt-Id", "2", "Audit-ID", "3"], "Audit-Id")).toBe("2");
  expect(findHeader(["Audit-Id-2", "1"], "audit-id")).toBeUndefined();
});
