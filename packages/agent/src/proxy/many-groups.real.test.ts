// A caller with thousands of groups, and requests with large heads, at a real API server.
import { loadKubeconfig } from "@fairlead/kube";
import { sharedCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, openWire, startUpstream, type Wire } from "./wire.fixture.ts";

const undo = new AsyncDisposableStack();
let wire: Wire;

beforeAll(async () => {
  const cluster = await sharedCluster();
  wire = undo.use(await openWire({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
});
afterAll(() => undo.disposeAsync());

test.each([5_000, 20_000])("the API server is told each of a caller's %i groups", async (count) => {
  const groups = Array.from({ length: count }, (_, at) => `company:team-${String(at).padStart(8, "0")}`);
  const { status, groups: told } = await review({ identity: { user: "alice", groups } });
  expect(status).toBe(201);
  expect(new Set(groups).difference(new Set(told))).toEqual(new Set());
});

test("the API server takes 1 MiB of headers through the agent, and refuses more itself", async () => {
  const pad = (bytes: number): string[] => ["X-Padding", "x".repeat(bytes)];
  expect((await review({ headers: pad(1_040_000) })).status).toBe(201);
  expect((await review({ headers: pad(1_060_000) })).status).toBe(431);
});

test("an answer's head of 1 MiB arrives whole", async () => {
  await using upstream = await startUpstream((_req, res) => {
    res.writeHead(200, { "x-padding": "y".repeat(1_048_576) });
    res.end("ok");
  });
  await using other = await openWire({ access: upstream.access });
  const { head, body } = await call(other.hub).answer;
  expect(head.headers[head.headers.indexOf("x-padding") + 1]).toBe("y".repeat(1_048_576));
  expect(body.toString()).toBe("ok");
});

async function review(options: {
  readonly headers?: readonly string[];
  readonly identity?: { readonly user: string; readonly groups: readonly string[] };
}): Promise<{ readonly status: number; readonly groups: readonly string[] }> {
  const { headers = [], identity } = options;
  const sent = Buffer.from(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }));
  const { head, body } = await call(
    wire.hub,
    {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      headers: ["Content-Type", "application/json", "Content-Length", String(sent.byteLength), ...headers],
      ...(identity && { identity }),
    },
    sent,
  ).answer;
  if (head.status !== 201) return { status: head.status, groups: [] };
  const { status } = JSON.parse(body.toString()) as { status: { userInfo: { groups: string[] } } };
  return { status: head.status, groups: status.userInfo.groups };
}
