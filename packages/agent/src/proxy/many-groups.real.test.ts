// A caller with thousands of groups, at a real API server.
import { loadKubeconfig } from "@fairlead/kube";
import { sharedCluster } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { call, openWire } from "./wire.fixture.ts";

test("the API server is told each of a caller's 5,000 groups", async () => {
  const cluster = await sharedCluster();
  await using wire = await openWire({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  const groups = Array.from({ length: 5_000 }, (_, at) => `company:team-${String(at).padStart(8, "0")}`);
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const sent = Buffer.from(JSON.stringify(review));
  const { head, body } = await call(
    wire.hub,
    {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      headers: ["Content-Type", "application/json", "Content-Length", String(sent.byteLength)],
      identity: { user: "alice", groups },
    },
    sent,
  ).answer;
  expect(head.status).toBe(201);
  const { status } = JSON.parse(body.toString()) as { status: { userInfo: { groups: string[] } } };
  expect(new Set(groups).difference(new Set(status.userInfo.groups))).toEqual(new Set());
});
