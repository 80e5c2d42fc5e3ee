import type { TestHub } from "@fairlead/testkit";
import { requestHub } from "./request-hub.ts";

export interface TestRobot {
  readonly name: string;
  readonly token: string;
  readonly tokenId: string;
  readonly bindingId: string;
}

/** An account of its own with a role on the clusters named, and a token of it. */
export async function createRobot(
  hub: TestHub,
  options: { readonly role: string; readonly clusters?: readonly string[]; readonly ttlMs?: number },
): Promise<TestRobot> {
  const { role, clusters = ["east"], ttlMs = 3_600_000 } = options;
  const name = `r-${crypto.randomUUID().slice(0, 8)}`;
  await post(hub, "/api/v1/robots", { name });
  const binding = { subject: { kind: "robot", name }, role, clusters: { names: clusters } };
  const { id: bindingId } = await post(hub, "/api/v1/bindings", binding);
  const { id: tokenId, token } = await post(hub, `/api/v1/robots/${name}/tokens`, { ttlMs });
  return { name: `robot:${name}`, token: String(token), tokenId: String(tokenId), bindingId: String(bindingId) };
}

async function post(hub: TestHub, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await requestHub(hub, path, { method: "POST", body: JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json() as Record<string, unknown>;
}
