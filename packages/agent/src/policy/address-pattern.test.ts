import { expect, test } from "vitest";
import { hostOfAddress, isAddressPattern, matchesAddress } from "./address-pattern.ts";

test.each([
  // A host's `*` ends where the host does.
  ["https://*.example.com", "https://a.example.com/x/y", true],
  ["https://*.example.com", "https://evil.net/a.example.com", false],
  ["https://*.example.com/*", "https://evil.net/a.example.com/b", false],
  ["https://*.example.com", "https://evil.net?.example.com", false],
  ["https://*.example.com", "https://evil.net?x=a.example.com", false],
  ["https://*.example.com", "https://evil.net#.example.com", false],
  ["https://*.example.com", "https://a.example.com@evil.net/", false],
  ["https://*.example.com", "https://user@a.example.com/", false],
  ["https://*.example.com", "https://evil.net\\.example.com", false],
  ["https://*.example.com", "https://evil.net%2f.example.com", false],
  ["https://*.example.com", "https://evil.net:80.example.com", false],
  ["https://charts.example.com", "https://charts.example.com.evil.example/x", false],
  // So does a scheme's.
  ["https://example.com/*", "http://example.com/x", false],
  ["*://example.com/*", "git::https://example.com/x", true],
  ["git::*://example.com/*", "git::ssh://example.com/x", true],
  ["git::*://example.com/*", "https://example.com/x", false],
  ["h*://example.com", "http://evil.net/://example.com", false],
  // Ports.
  ["https://example.com", "https://example.com:443/x", true],
  ["https://example.com", "https://example.com:8443/x", false],
  ["https://example.com:*/x", "https://example.com:8443/x", true],
  ["oci://registry.example.com/a", "oci://registry.example.com:5000/a", false],
  // Paths.
  ["https://example.com/a", "https://example.com/a", true],
  ["https://example.com/a", "https://example.com/a/b", false],
  ["https://example.com/a/*", "https://example.com/a/b/c", true],
  ["https://example.com/*/c", "https://example.com/a/b/c", true],
  ["https://example.com/a/*", "https://example.com/a/../b", false],
  ["https://example.com/a/*", "https://example.com/a/%2e%2E/b", false],
  ["https://example.com/a/*", "https://example.com/a/x%2f..%2fb", false],
  ["https://example.com/a/*", "https://example.com/ab", false],
  ["https://example.com/a/*", "https://example.com/a/b?ref=v1", true],
  ["https://example.com/a.git", "https://example.com/a.git?ref=v1", false],
  ["https://example.com/a.git?ref=*", "https://example.com/a.git?ref=v1", true],
  // Modules, and what git writes.
  ["registry.opentofu.org/ours/*", "registry.opentofu.org/ours/web/aws//modules/x", true],
  ["registry.opentofu.org/ours/*", "registry.opentofu.org/theirs/web/aws", false],
  ["registry.opentofu.org/*", "evil.net/registry.opentofu.org/x", false],
  ["git::https://git.example.com/*", "git::https://git.example.com/a.git?ref=v1", true],
  ["git::ssh://git@git.example.com/*", "git::ssh://git@git.example.com/a.git", true],
  ["git::ssh://*@git.example.com/*", "git::ssh://me@git.example.com/a.git", true],
  ["git@git.example.com:ours/*", "git@git.example.com:ours/a.git", true],
  ["ssh://git@git.example.com/ours/*", "git@git.example.com:ours/a.git", true],
  ["git@git.example.com:ours/*", "git@git.example.com:theirs/a.git", false],
  ["inline", "inline", true],
  ["*", "git@anything:x y", true],
])("%s for %s: %j", (pattern, address, expected) => {
  expect(matchesAddress(pattern, address)).toBe(expected);
});

test.each(["https://a b", "https://example.com/#x", "https://a@b@c/", "https://exa mple", "git::*", "https://a\\b"])(
  "%j is no pattern of an address",
  (text) => expect(isAddressPattern(text)).toBe(false),
);

test.each([
  ["https://charts.example.com/stable", "charts.example.com:443"],
  ["http://127.0.0.1:5000/charts", "127.0.0.1:5000"],
  ["oci://registry.example.com/team", "registry.example.com:443"],
  ["https://*.example.com", "*.example.com:443"],
  ["https://[::1]:80/x", "[::1]:80"],
  ["inline", undefined],
  ["*", undefined],
  ["https://*", undefined],
])("the host of %s is %s", (pattern, host) => {
  expect(hostOfAddress(pattern)).toBe(host);
});
