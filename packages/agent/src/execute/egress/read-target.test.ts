import { expect, test } from "vitest";
import { readAddress, readAuthority } from "./read-target.ts";

test.each([
  ["example.com:443", { host: "example.com", port: 443, name: "example.com:443" }],
  ["EXAMPLE.com.:443", { host: "example.com", port: 443 }],
  ["[::1]:80", { host: "::1", port: 80, name: "[::1]:80" }],
])("CONNECT %s", (text, expected) => expect(readAuthority(text)).toMatchObject(expected));

test.each([
  "example.com",
  "example.com:0",
  "example.com:65536",
  ":443",
  "::1:80",
  "a/b:1",
  "u@h:1",
  "[::1%eth0]:1",
  "a:1:2",
  "2130706433:80",
  "0x7f.1:80",
  "0177.0.0.1:80",
  "127.1:80",
])("CONNECT %s is refused", (text) =>
  expect(() => readAuthority(text)).toThrow(expect.objectContaining({ code: "EGRESS_REQUEST_INVALID" })),
);

test.each([
  ["http://example.com", "example.com", 80, "/"],
  ["HTTP://example.com:8080/a?b=c", "example.com:8080", 8080, "/a?b=c"],
  ["http://example.com?a=http://evil.net/", "example.com", 80, "/?a=http://evil.net/"],
])("%s", (text, name, port, path) => {
  expect(readAddress(text)).toMatchObject({ target: { name, port }, path });
});

test.each([
  "https://example.com/",
  "ftp://example.com/",
  "/path",
  "http://a@example.com/",
  "http://a\\@b/",
  "http:///x",
  "",
])("%j is refused", (text) =>
  expect(() => readAddress(text)).toThrow(expect.objectContaining({ code: "EGRESS_REQUEST_INVALID" })),
);
