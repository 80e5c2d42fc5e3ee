import { expect, test } from "vitest";
import { isHostPattern, matchesHost, namesLiterally } from "./host-pattern.ts";

test.each([
  ["example.com", "example.com", 443, true],
  ["example.com", "EXAMPLE.com.", 22, true],
  ["example.com", "example.com.evil.net", 443, false],
  ["example.com", "a.example.com", 443, false],
  ["example.com", "examplescom", 443, false],
  ["*.example.com", "a.b.example.com", 443, true],
  ["*.example.com", "example.com", 443, false],
  ["*.example.com", "evil.net/a.example.com", 443, false],
  ["*.example.com", "evil.net?.example.com", 443, false],
  ["*.example.com", "evil.net@.example.com", 443, false],
  ["*.example.com", "evil.net#.example.com", 443, false],
  ["*.example.com", "evil.net:443.example.com", 443, false],
  ["*.example.com", "evil.net\\.example.com", 443, false],
  ["*.example.com", "evil.net\n.example.com", 443, false],
  ["*.example.com", "evil.net%2f.example.com", 443, false],
  ["git-*.example.com", "git-1.example.com", 443, true],
  ["example.com:8443", "example.com", 8443, true],
  ["example.com:8443", "example.com", 443, false],
  ["example.com:8443", "example.com", undefined, false],
  ["127.0.0.1:*", "127.0.0.1", 5000, true],
  ["127.0.0.1:*", "127.0.0.2", 5000, false],
  ["[::1]:80", "::1", 80, true],
  ["[::1]:80", "[::1]", 80, true],
  ["[::1]:80", "::1", 81, false],
  ["*", "anything.example", 1, true],
  ["*", "fd00::1", 1, true],
  ["*", "a/b", 1, false],
  ["*", "", 1, false],
])("%s for %s, port %s: %j", (pattern, host, port, expected) => {
  expect(matchesHost(pattern, { host, port })).toBe(expected);
});

test.each([
  ["127.0.0.1:5000", "127.0.0.1", true],
  ["127.0.0.1:*", "127.0.0.1", true],
  ["localhost:5000", "LOCALHOST", true],
  ["127.0.0.1", "127.0.0.1", false],
  ["127.0.0.*:5000", "127.0.0.1", false],
  ["*:5000", "127.0.0.1", false],
  ["*", "127.0.0.1", false],
])("%s names %s with its port: %j", (pattern, host, expected) => {
  expect(namesLiterally(pattern, { host, port: 5000 })).toBe(expected);
});

test.each([
  "https://example.com",
  "example.com/a",
  "a b",
  "",
  "example.com:",
  "example.com:123456",
  "user@example.com",
])("%j is no pattern of a host", (text) => expect(isHostPattern(text)).toBe(false));
