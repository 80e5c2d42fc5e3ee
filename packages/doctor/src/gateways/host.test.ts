import { expect, test } from "vitest";
import { covers } from "./host.ts";

test.each([
  ["*", "*.apps.example.com", "istio", true],
  ["*.example.com", "*.apps.example.com", "istio", true],
  ["*.example.com", "*.apps.example.com", "gateway-api", true],
  ["*.example.com", "a.b.example.com", "istio", true],
  ["*.example.com", "a.example.com", "ingress", true],
  ["*.example.com", "a.b.example.com", "ingress", false],
  ["*.example.com", "*.apps.example.com", "ingress", false],
  ["*.example.com", "example.com", "istio", false],
  ["*.example.com", "*.example.com", "ingress", true],
  ["*.apps.example.com", "*.example.com", "istio", false],
  ["*.example.com", "a.badexample.com", "istio", false],
  ["a.example.com", "b.example.com", "istio", false],
] as const)("%s takes requests for %s on %s: %s", (host, domain, kind, expected) => {
  expect(covers(host, domain, kind)).toBe(expected);
});
