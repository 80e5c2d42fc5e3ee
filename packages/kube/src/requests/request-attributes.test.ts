import { describe, expect, it } from "vitest";
import { readRequestAttributes } from "./request-attributes.ts";

describe("what a request to an API server is about", () => {
  it.each([
    ["GET /api/v1/pods", "list pods"],
    ["HEAD /api/v1/pods", "list pods"],
    ["GET /api/v1/pods/", "list pods"],
    ["GET /api/v1/pods?limit=5", "list pods"],
    ["GET /api/v1/namespaces/a/pods", "list pods in a"],
    ["GET /api/v1/namespaces/a/pods/b", "get pods b in a"],
    ["POST /api/v1/namespaces/a/pods", "create pods in a"],
    ["PUT /api/v1/namespaces/a/pods/b", "update pods b in a"],
    ["PATCH /api/v1/namespaces/a/pods/b/status", "patch pods/status b in a"],
    ["DELETE /api/v1/namespaces/a/pods/b", "delete pods b in a"],
    ["DELETE /api/v1/namespaces/a/pods", "deletecollection pods in a"],
    ["OPTIONS /api/v1/namespaces/a/pods", "options pods in a"],
    ["GET /apis/apps/v1/namespaces/a/deployments", "list deployments.apps in a"],
    ["GET /apis/apps/v1/namespaces/a/deployments/b/scale", "get deployments.apps/scale b in a"],
    ["GET /apis/rbac.authorization.k8s.io/v1/clusterroles/x", "get clusterroles.rbac.authorization.k8s.io x"],
    // Namespaces are resources of their own.
    ["GET /api/v1/namespaces", "list namespaces"],
    ["GET /api/v1/namespaces/a", "get namespaces a in a"],
    ["PUT /api/v1/namespaces/a/finalize", "update namespaces/finalize a in a"],
    ["PATCH /api/v1/namespaces/a/status", "patch namespaces/status a in a"],
    // Watches, by the query and by the old prefix.
    ["GET /api/v1/pods?watch=true", "watch pods"],
    ["GET /api/v1/pods?watch", "watch pods"],
    ["GET /api/v1/pods?watch=", "watch pods"],
    ["GET /api/v1/pods?watch=1&watch=0", "watch pods"],
    ["GET /api/v1/pods?watch=0&watch=1", "list pods"],
    ["GET /api/v1/pods?watch=FALSE", "list pods"],
    ["GET /api/v1/pods?%77atch=1", "watch pods"],
    ["GET /api/v1/pods?watch=1;x", "list pods"],
    ["GET /api/v1/pods?watch=%zz", "list pods"],
    ["GET /api/v1/pods?watch=%ff", "watch pods"],
    ["GET /api/v1/namespaces/a/pods/b?watch=1", "get pods b in a"],
    ["POST /api/v1/namespaces/a/pods?watch=1", "create pods in a"],
    ["GET /api/v1/watch/pods", "watch pods"],
    ["GET /api/v1/watch/namespaces/a/pods/b", "watch pods b in a"],
    ["GET /apis/apps/v1/watch/namespaces/a/deployments", "watch deployments.apps in a"],
    ["GET /api/v1/namespaces/watch/pods", "list pods in watch"],
    ["GET /api/v1/pods?fieldSelector=metadata.name%3Db", "list pods b"],
    ["GET /api/v1/pods?fieldSelector=metadata.name=b&watch=1", "watch pods b"],
    ["GET /api/v1/pods?fieldSelector=spec.nodeName%3Db", "list pods"],
    // Requests that run something in a pod, however they begin.
    ["GET /api/v1/namespaces/a/pods/b/exec?command=ls", "create pods/exec b in a"],
    ["POST /api/v1/namespaces/a/pods/b/exec", "create pods/exec b in a"],
    ["GET /api/v1/namespaces/a/pods/b/attach", "create pods/attach b in a"],
    ["GET /api/v1/namespaces/a/pods/b/portforward", "create pods/portforward b in a"],
    ["GET /api/v1/namespaces/a/pods/b/%65xec", "create pods/exec b in a"],
    ["GET /api/v1/namespaces/a/pods/b/log?follow=1", "get pods/log b in a"],
    ["POST /api/v1/namespaces/a/pods/b/eviction", "create pods/eviction b in a"],
    ["POST /api/v1/namespaces/a/serviceaccounts/b/token", "create serviceaccounts/token b in a"],
    // Behind proxy the path is somebody else's.
    ["GET /api/v1/namespaces/a/services/b/proxy/x//y/%2f?z", "get services/proxy b in a"],
    ["POST /api/v1/namespaces/a/pods/b:80/proxy/exec", "create pods/proxy b:80 in a"],
    ["GET /api/v1/nodes/n/proxy/", "get nodes/proxy n"],
    ["GET /api/v1/nodes/n/proxy/exec/a/b/c", "get nodes/proxy n"],
    ["GET /api/v1/namespaces/a/services/b/%70roxy/x//y", "get services/proxy b in a"],
    // Things that are called as verbs and subresources are.
    ["GET /api/v1/namespaces/proxy/pods/proxy", "get pods proxy in proxy"],
    ["GET /api/v1/namespaces/proxy/pods", "list pods in proxy"],
    ["GET /api/v1/namespaces/exec/pods/exec/log", "get pods/log exec in exec"],
    ["DELETE /api/v1/namespaces/a/configmaps/watch", "delete configmaps watch in a"],
    ["GET /api/v1/proxy/namespaces/a/pods/b", "proxy pods b in a"],
    ["GET /api/v1/proxy/namespaces/a/pods/b/log", "proxy pods b in a"],
    ["GET /api/namespaces/watch/pods/b", "watch pods b"],
    ["GET /apis/x/namespaces/watch/pods/b", "watch pods.x b"],
  ])("%s is to %s", (request, expected) => {
    expect(describeRequest(request)).toBe(expected);
  });

  it.each([
    ["/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/b/console", "create"],
    ["/api/v1/namespaces/a/pods/b/anything-new", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things/b", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things/b/log", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things/b/proxy", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things?watch=0", "create"],
    ["/apis/things.example.com/v1/namespaces/a/things?watch=1", "watch"],
    ["/api/v1/namespaces/a/pods/b/log?follow=true", "get"],
    ["/api/v1/namespaces/a/services/b/proxy/socket", "get"],
    ["/api/v1/pods?watch=1", "watch"],
    ["/api/v1/watch/pods", "watch"],
  ])("an upgrade of %s to a byte pipe is to %s", (path, verb) => {
    expect(readRequestAttributes({ method: "GET", path, upgrade: true })).toMatchObject({ isResource: true, verb });
  });

  it.each(["/apis/things.example.com/v1", "/anything"])(
    "an upgrade of %s to a byte pipe is no reading of a path",
    (path) => {
      expect(readRequestAttributes({ method: "GET", path, upgrade: true })).toMatchObject({
        isResource: false,
        verb: "create",
      });
    },
  );

  it.each([
    ["GET /", "get"],
    ["GET /version", "get"],
    ["GET /api", "get"],
    ["GET /api/v1", "get"],
    ["GET /api/v1/", "get"],
    ["GET /apis/apps/v1", "get"],
    ["GET /openapi/v3/apis/apps/v1?hash=1", "get"],
    ["POST /logs/x", "post"],
    ["GET /API/v1/pods", "get"],
  ])("%s is to %s a path that is no resource's", (request, verb) => {
    const [method = "", path = ""] = request.split(" ");
    const attributes = readRequestAttributes({ method, path });
    expect(attributes).toMatchObject({ isResource: false, verb, resource: "", path: path.split("?")[0] });
  });

  it.each([
    "api/v1/pods",
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1//pods",
    "/api/v1/pods//",
    "/api/v1/namespaces/a/../b/pods",
    "/api/v1/namespaces/%2e%2e/pods",
    "/api/v1/namespaces/./pods",
    "/api/v1/namespaces/a%2fpods%2fb",
    "/api/v1/namespaces/a%5Cb/pods",
    "/api/v1/namespaces/a\\b/pods",
    "/api/v1/pods%00",
    "/api/v1/pods%ff",
    "/api/v1/pods%",
    "/api/v1/namespaces/proxy//pods",
    "/api/v1/namespaces/a/pods/proxy/a%2fb",
    "/api/v1/namespaces/a/services/b/proxy/../../../secrets",
    "/api/v1/namespaces/a/services/b/proxy/%2e%2e/x",
    "/api/v1/namespaces/a/services/b/proxy/a%2f..%2fb",
    "/api/v1/namespaces/a/services/b/proxy/a%5c..%5cb",
    "/version/proxy//x",
  ])("%j can be read in more than one way", (path) => {
    expect(readRequestAttributes({ method: "GET", path })).toBeUndefined();
  });
});

function describeRequest(request: string): string {
  const [method = "", path = ""] = request.split(" ");
  const attributes = readRequestAttributes({ method, path });
  if (!attributes) return "ambiguous";
  const { verb, resource, apiGroup, subresource, name, namespace } = attributes;
  const kind = `${resource}${apiGroup && `.${apiGroup}`}${subresource && `/${subresource}`}`;
  return [verb, kind, name, namespace && `in ${namespace}`].filter((part) => part !== "").join(" ");
}
