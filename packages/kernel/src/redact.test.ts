import { expect, test } from "vitest";
import { createSecret } from "./ids.ts";
import { redact } from "./redact.ts";
import { formatJoinToken, parseJoinToken } from "./tokens.ts";

const token = { id: "0123456789", secret: createSecret(), caFingerprint: "ab".repeat(32) };

test("a join token survives being written and read", () => {
  expect(parseJoinToken(` ${formatJoinToken(token)}\n`)).toEqual(token);
});

test.each(["", "flj_", "fla_0123456789", `${formatJoinToken(token)}0`, formatJoinToken(token).slice(1)])(
  "%j is no join token",
  (text) => expect(parseJoinToken(text)).toBeUndefined(),
);

test.each([
  ["a join token", `token ${formatJoinToken(token)} used`, token.secret],
  ["an admin token", `fla_${token.secret}`, token.secret],
  ["a bearer header", `Authorization: Bearer ${token.secret}`, token.secret],
  ["a token in a websocket subprotocol", "base64url.bearer.authorization.k8s.io.c2VjcmV0LXRva2Vu", "c2VjcmV0"],
  ["a private key", "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----", "MIGHAgEAMBMG"],
  ["a service account token", "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl", "c2lnbmF0dXJl"],
])("%s is masked in free text", (_, text, secret) => {
  expect(redact(text)).not.toContain(secret);
  expect(redact(text)).toContain("[redacted");
});

test("ordinary text is left alone", () => {
  const text = "cluster east connected from 127.0.0.1 as proxy; flannel and the bearer of news";
  expect(redact(text)).toBe(text);
});
