import { expect, test } from "vitest";
import { formatCredential, readCredential } from "./credential-headers.ts";

const certificate = { kind: "certificate", der: Buffer.from([1, 2, 3]) } as const;
const mesh = { kind: "mesh", identity: "x-fairlead-agent-roles", roles: ["observe", "proxy"] } as const;

test("a credential arrives as it was sent", () => {
  expect(readCredential(formatCredential(certificate))).toEqual(certificate);
  expect(readCredential(["other", "x-fairlead-agent-certificate", ...formatCredential(mesh)])).toEqual(mesh);
});

test("none, or one of each kind, is no credential", () => {
  expect(readCredential([])).toBeUndefined();
  expect(readCredential([...formatCredential(certificate), ...formatCredential(mesh)])).toBeUndefined();
});
