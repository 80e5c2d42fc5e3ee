import { readRequestAttributes } from "@fairlead/kube";
import { expect, test } from "vitest";
import { readArgoRequest } from "./argo-request.ts";

const uid = "0b1f3c52-6d0a-4c8e-9a3b-1c2d3e4f5a6b";

test.each([
  "GET /version",
  "GET /api",
  "GET /api/v1?timeout=32s",
  "GET /apis",
  "GET /apis/apps",
  "GET /apis/apps/v1?timeout=32s",
  "GET /openapi/v2",
  "GET /openapi/v3/apis/apps/v1",
])("%s is open to Argo CD", (line) => {
  expect(read(line).is).toBe("open");
});

test.each([
  ["GET /api/v1/namespaces/a/pods/b", "/api/v1/namespaces/a/pods/b", true],
  ["GET /api/v1/namespaces/a/pods/b/log?follow=true", "/api/v1/namespaces/a/pods/b", false],
  ["POST /api/v1/namespaces/a/pods/b/exec?command=sh", "/api/v1/namespaces/a/pods/b", false],
  ["PATCH /apis/apps/v1/namespaces/a/deployments/b?dryRun=All", "/apis/apps/v1/namespaces/a/deployments/b", false],
  ["DELETE /apis/apps/v1/namespaces/a/deployments/b", "/apis/apps/v1/namespaces/a/deployments/b", false],
  ["GET /api/v1/namespaces/a", "/api/v1/namespaces/a", true],
  [
    "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/x:y",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/x%3Ay",
    true,
  ],
])("%s is about an object", (line, path, isRead) => {
  expect(read(line)).toEqual({ is: "object", path, isRead });
});

test("events are those of one object", () => {
  const selector = `involvedObject.name=web,involvedObject.uid=${uid},involvedObject.namespace=a`;
  const query = new URLSearchParams({ fieldSelector: selector });
  expect(read(`GET /api/v1/namespaces/a/events?${query}`)).toEqual({
    is: "events",
    path: `/api/v1/namespaces/a/events?fieldSelector=involvedObject.uid%3D${uid}&limit=1`,
  });
});

test.each([
  "GET /metrics",
  "GET /logs/x",
  "GET /apis/apps/v1/extra/x/y/z",
  "POST /api",
  "GET /api/v1/pods",
  "GET /api/v1/namespaces/a/pods",
  "GET /api/v1/namespaces/a/pods?watch=1",
  "GET /api/v1/watch/namespaces/a/pods/b",
  "GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name=b",
  "POST /api/v1/namespaces/a/pods",
  "PUT /api/v1/namespaces/a/pods/b",
  "DELETE /api/v1/namespaces/a/pods",
  "GET /api/v1/namespaces/a/pods/b/attach",
  "POST /api/v1/namespaces/a/pods/b/portforward",
  "GET /api/v1/namespaces/a/pods/b/proxy/x",
  "POST /api/v1/namespaces/a/pods/b/eviction",
  "PATCH /api/v1/namespaces/a/pods/b/ephemeralcontainers",
  "PATCH /apis/apps/v1/namespaces/a/deployments/b/scale",
  "POST /api/v1/namespaces/a/serviceaccounts/b/token",
  "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "GET /api/v1/namespaces/a/secrets/b",
  "PATCH /api/v1/namespaces/a/secrets/b",
  "DELETE /api/v1/namespaces/a/secrets/b",
  "GET /api/v1/events?fieldSelector=involvedObject.uid=x",
  "GET /api/v1/namespaces/a/events",
  "GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.name%3Dweb",
  "GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.uid!%3Dx",
  "GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.uid%3D",
  // Terms and parameters that Go reads otherwise than they look.
  "GET /api/v1/namespaces/a/events?fieldSelector=reason!%3Da%5C,involvedObject.uid%3Dx",
  "GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.uid%3Dx;&fieldSelector=",
  "GET /api/v1/namespaces/a/events?fieldSelector=&fieldSelector=involvedObject.uid%3Dx",
  "GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.uid%3Dx,type%3DNormal",
])("%s isn't for Argo CD", (line) => {
  expect(read(line).is).toBe("refused");
});

function read(line: string) {
  const [method = "", path = ""] = line.split(" ");
  const attributes = readRequestAttributes({ method, path });
  if (!attributes) throw new Error("not a request");
  return readArgoRequest(attributes, path);
}
