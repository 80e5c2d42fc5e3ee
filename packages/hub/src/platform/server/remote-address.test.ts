import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createTrustedProxies, noteForwarded, readRemoteAddress } from "./remote-address.ts";

const balancers = ["10.0.0.0/8", "fd00::/8", "192.0.2.1"];

test.each([
  ["nobody trusted", [], "10.0.0.1", "203.0.113.5", "10.0.0.1"],
  ["a stranger's word", balancers, "203.0.113.9", "203.0.113.5", "203.0.113.9"],
  ["a balancer's word", balancers, "10.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["a balancer's word on a socket for both kinds", balancers, "::ffff:10.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["what the client made up before", balancers, "10.0.0.1", "127.0.0.1, 198.51.100.7", "198.51.100.7"],
  ["a chain of balancers", balancers, "10.0.0.1", "6.6.6.6, 198.51.100.7, 192.0.2.1, 10.9.9.9", "198.51.100.7"],
  ["only balancers", balancers, "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["ports", balancers, "fd00::1", "198.51.100.7:4711", "198.51.100.7"],
  ["IPv6 with a port", balancers, "10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"],
  ["nonsense", balancers, "10.0.0.1", "<script>, unknown", "10.0.0.1"],
  ["nonsense before a balancer", balancers, "10.0.0.1", "unknown, 10.0.0.2", "10.0.0.2"],
  ["an empty header", balancers, "10.0.0.1", "", "10.0.0.1"],
  ["no header", balancers, "10.0.0.1", undefined, "10.0.0.1"],
] as const)("%s: the address is told as far as it can be believed", (_, rules, peer, header, expected) => {
  const headers = header === undefined ? {} : { "x-forwarded-for": header };
  const req = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage;
  noteForwarded(req, createTrustedProxies(rules));
  expect(readRemoteAddress(req)).toBe(expected);
});
