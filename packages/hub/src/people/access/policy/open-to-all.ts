// Anyone with a role on a cluster may ask it these, because clients can't work without them and they tell nothing of
// what is in there.
import type { RequestAttributes } from "@fairlead/kube";

export function isDiscovery(request: RequestAttributes): boolean {
  return !request.isResource && (request.verb === "get" || request.verb === "head") && discovery.test(request.path);
}

/** `kubectl auth can-i` and `kubectl auth whoami`. */
export function isAboutOneself(request: RequestAttributes): boolean {
  const { apiGroup, resource, subresource, verb } = request;
  return request.isResource && verb === "create" && subresource === "" && reviews.has(`${apiGroup}/${resource}`);
}

const discovery =
  /^\/(?:$|api(?:\/[^/]+)?\/?$|apis(?:\/[^/]+){0,2}\/?$|version\/?$|openapi\/|(?:healthz|livez|readyz)(?:\/|$)|\.well-known\/openid-configuration$|openid\/v1\/jwks\/?$)/;

const reviews = new Set([
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authentication.k8s.io/selfsubjectreviews",
]);
