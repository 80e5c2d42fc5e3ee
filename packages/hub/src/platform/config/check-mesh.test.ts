import { expect, test } from "vitest";
import { readInvocation } from "./load.ts";

const header = ["--mesh-identity-header", "X-Forwarded-Client-Cert"];
const pattern = ["--mesh-identity-pattern", "spiffe://x/(?<cluster>[a-z]+)"];
const peers = ["--mesh-identity-peers", "127.0.0.6,10.0.0.0/8"];
const all = [...header, ...pattern, ...peers];

test("header, pattern and peers turn it on; without them nothing is different", () => {
  expect(read([])).toMatchObject({
    meshIdentityHeader: undefined,
    meshIdentityPeers: [],
    meshIdentityPlaintext: false,
  });
  expect(read([...all, "--mesh-identity-roles", "proxy, observe,proxy"])).toMatchObject({
    meshIdentityHeader: "x-forwarded-client-cert",
    meshIdentityPeers: ["127.0.0.6", "10.0.0.0/8"],
    meshIdentityRoles: ["proxy", "observe"],
  });
  const plain = ["--mesh-identity-plaintext", "--agent-public-url", "http://hub.fairlead.svc:8444"];
  expect(read([...all, ...plain])).toMatchObject({ agentPublicUrl: "http://hub.fairlead.svc:8444" });
});

test.each([
  ["no peers", [...header, ...pattern], "mesh-identity-peers"],
  ["peers everywhere", [...header, ...pattern, "--mesh-identity-peers", "10.0.0.1,::/0"], "mesh-identity-peers"],
  ["peers that aren't addresses", [...header, ...pattern, "--mesh-identity-peers", "gateway"], "mesh-identity-peers"],
  ["no pattern", [...header, ...peers], "mesh-identity-pattern"],
  ["no header", [...pattern, ...peers], "mesh-identity-header"],
  ["no header, and no TLS", ["--mesh-identity-plaintext"], "mesh-identity-header"],
  [
    "a pattern without the group",
    [...header, ...peers, "--mesh-identity-pattern", "x/([a-z]+)"],
    "mesh-identity-pattern",
  ],
  [
    "a pattern with other groups",
    [...header, ...peers, "--mesh-identity-pattern", "(?<cluster>a)(?<rolle>b)"],
    "mesh-identity-pattern",
  ],
  ["half a pattern", [...header, ...peers, "--mesh-identity-pattern", "(?<cluster>a)|(?<"], "mesh-identity-pattern"],
  [
    "a pattern that leaves its bounds",
    [...header, ...peers, "--mesh-identity-pattern", "a)|(?:(?<cluster>b)"],
    "mesh-identity-pattern",
  ],
  [
    "a pattern that looks behind, which takes more than the time of the text",
    [...header, ...peers, "--mesh-identity-pattern", "(?<cluster>[a-z]+)(?<!-)"],
    "mesh-identity-pattern",
  ],
  ["a header that agents send", [...pattern, ...peers, "--mesh-identity-header", "Host"], "mesh-identity-header"],
  [
    "a header of agents",
    [...pattern, ...peers, "--mesh-identity-header", "Fairlead-Agent-Roles"],
    "mesh-identity-header",
  ],
  ["no header's name", [...pattern, ...peers, "--mesh-identity-header", "a b"], "mesh-identity-header"],
  ["roles that aren't any", [...all, "--mesh-identity-roles", "king"], "mesh-identity-roles"],
  [
    "roles said twice",
    [...header, ...peers, "--mesh-identity-pattern", "(?<cluster>a)(?<role>b)", "--mesh-identity-roles", "proxy"],
    "mesh-identity-roles",
  ],
  ["the challenge besides", [...all, "--agent-trust", "challenge"], "agent-trust"],
  ["http:// without a mesh", ["--agent-public-url", "http://hub:8444"], "agent-public-url"],
  ["http:// with TLS", [...all, "--agent-public-url", "http://hub:8444"], "agent-public-url"],
  [
    "several hubs without TLS",
    [
      ...all,
      "--mesh-identity-plaintext",
      "--hub-address",
      "10.0.0.1:8444",
      "--database-url",
      "postgres://d",
      "--key-encryption-key-file",
      "k",
    ],
    "mesh-identity-plaintext",
  ],
])("%s is refused at the start", (_what, args, name) => {
  expect(() => read(args)).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(`^--${name} `) }),
  );
});

function read(args: readonly string[]): unknown {
  const invocation = readInvocation({ args, env: {} });
  return "config" in invocation ? invocation.config : undefined;
}
