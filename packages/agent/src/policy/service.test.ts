import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRequestAttributes } from "@fairlead/kube";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openPolicy, type PolicyKeeper } from "./service.ts";

let folder = "";
let path = "";
const log = { info: vi.fn(), error: vi.fn() };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-policy-"));
  path = join(folder, "policy.yaml");
  vi.clearAllMocks();
});
afterEach(() => rm(folder, { recursive: true }));

it("a policy file that changes is in force soon after, and whoever must know is told", async () => {
  await writeFile(path, "readOnly: true\n");
  using policy = await openPolicy({ path, log, intervalMs: 10 });
  const changed = vi.fn();
  policy.onChanged(changed);
  expect(mayDelete(policy)).toBe(false);
  await writeFile(path, "readOnly: false\n");
  await vi.waitFor(() => expect(mayDelete(policy)).toBe(true), 10_000);
  expect(changed).toHaveBeenCalledTimes(1);
});

it.each([
  ["a typing error", "readonly: false\n"],
  ["half of YAML", "readOnly: [\n"],
  ["nothing", ""],
])("a policy file that turns into %s changes nothing, and the log says so once", async (_, text) => {
  await writeFile(path, "readOnly: true\n");
  using policy = await openPolicy({ path, log, intervalMs: 5 });
  await writeFile(path, text);
  await vi.waitFor(() => expect(log.error).toHaveBeenCalled(), 10_000);
  await rm(path);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(mayDelete(policy)).toBe(false);
  expect(log.error.mock.calls.length).toBeLessThanOrEqual(3);
  await writeFile(path, "{}\n");
  await vi.waitFor(() => expect(mayDelete(policy)).toBe(true), 10_000);
});

it("an agent doesn't start with a policy file that is missing, empty or wrong", async () => {
  await expect(openPolicy({ path, log })).rejects.toMatchObject({ code: "POLICY_FILE_UNREADABLE" });
  await writeFile(path, "");
  await expect(openPolicy({ path, log })).rejects.toMatchObject({ code: "POLICY_FILE_INVALID" });
  await writeFile(path, "namespaces: {allowed: [a]}");
  await expect(openPolicy({ path, log })).rejects.toMatchObject({
    code: "POLICY_FILE_INVALID",
    message: expect.stringContaining("namespaces: allowed isn't a rule"),
  });
});

it("hosts of credentials are read by Secret, and a name or a host that is none is refused", async () => {
  await writeFile(path, 'execute: {credentials: [{secret: shop/git, hosts: ["*.example.com", "127.0.0.1:*"]}]}');
  using policy = await openPolicy({ path, log });
  expect(policy.credentialRules()).toEqual([{ secret: "shop/git", hosts: ["*.example.com", "127.0.0.1:*"] }]);
  for (const bad of [
    "{secret: git, hosts: [a.example]}",
    '{secret: shop/git, hosts: ["https://a/b"]}',
    "{secret: shop/git}",
  ]) {
    await writeFile(path, `execute: {credentials: [${bad}]}`);
    await expect(openPolicy({ path, log })).rejects.toMatchObject({ code: "POLICY_FILE_INVALID" });
  }
});

function mayDelete(policy: PolicyKeeper): boolean {
  const attributes = readRequestAttributes({ method: "DELETE", path: "/api/v1/namespaces/a/pods/b" });
  if (!attributes) throw new Error("ambiguous");
  return policy.judge({ attributes, identity: { user: "alice", groups: [] } }).allowed;
}
