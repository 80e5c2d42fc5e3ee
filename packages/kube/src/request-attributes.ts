// What a request to an API server is about, read from its method and path the way the API server itself does
// (k8s.io/apiserver RequestInfo). Both policies, the hub's and the agent's, judge by this; so what the two sides could
// read in different ways is refused instead of guessed at.

export interface RequestAttributes {
  /** As RBAC has it: get, list, watch, create, update, patch, delete, deletecollection; else the method in lower case. */
  readonly verb: string;
  /** False for paths such as /version and /healthz: then only `verb` and `path` say something. */
  readonly isResource: boolean;
  /** Without the query. */
  readonly path: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Empty for what has no namespace, and for requests over all of them. */
  readonly namespace: string;
  /** Plural, lower case; empty for discovery of a group. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for collections. */
  readonly name: string;
}

/** Undefined for a path that could be read in more than one way. */
export function readRequestAttributes(request: {
  readonly method: string;
  /** Origin form: path and query. */
  readonly path: string;
}): RequestAttributes | undefined {
  const at = request.path.indexOf("?");
  const path = at < 0 ? request.path : request.path.slice(0, at);
  const query = at < 0 ? "" : request.path.slice(at + 1);
  const parts = splitPath(path);
  if (parts === undefined) return undefined;
  const method = request.method.toUpperCase();
  const [prefix] = parts;
  const isApi = prefix === "api" && parts.length >= 3;
  const isGroup = prefix === "apis" && parts.length >= 4;
  if (!isApi && !isGroup) return { ...empty, verb: method.toLowerCase(), isResource: false, path };
  const apiGroup = isGroup ? (parts[1] ?? "") : "";
  const apiVersion = (isGroup ? parts[2] : parts[1]) ?? "";
  const rest = parts.slice(isGroup ? 3 : 2);
  return { ...readResource(method, rest, query), isResource: true, path, apiGroup, apiVersion };
}

function readResource(
  method: string,
  parts: readonly string[],
  query: string,
): Pick<RequestAttributes, "verb" | "namespace" | "resource" | "subresource" | "name"> {
  const isLegacyWatch = parts[0] === "watch" && parts.length > 1;
  let rest = isLegacyWatch ? parts.slice(1) : parts;
  let namespace = "";
  if (rest[0] === "namespaces") {
    namespace = rest[1] ?? "";
    // `namespaces/NAME` is the namespace itself, and status and finalize are its own.
    if (rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize") rest = rest.slice(2);
  }
  const [resource = "", name = "", subresource = ""] = rest;
  const parameters = new URLSearchParams(query);
  const verb = isLegacyWatch ? "watch" : readVerb({ method, name, subresource, parameters });
  return { verb, namespace, resource, subresource, name: name || nameIn(parameters) };
}

function readVerb(request: { method: string; name: string; subresource: string; parameters: URLSearchParams }): string {
  const { method, name, subresource, parameters } = request;
  // A WebSocket begins with a GET: what runs something in a pod needs the right to create, whatever the method.
  if (running.has(subresource)) return "create";
  switch (method) {
    case "GET":
    case "HEAD":
      if (isTrue(parameters.get("watch"))) return "watch";
      return name === "" ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}

/** As Kubernetes converts query strings: all but "0" and "false" is true, also the empty value. */
function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

function nameIn(parameters: URLSearchParams): string {
  return /^metadata\.name==?([a-z0-9.-]+)$/.exec(parameters.get("fieldSelector") ?? "")?.[1] ?? "";
}

/** Decoded parts. Behind `/proxy/` the path is a pod's or a service's own and may hold anything but dot segments. */
function splitPath(path: string): string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const raw = path.slice(1).split("/");
  if (raw.at(-1) === "") raw.pop();
  const proxy = raw.indexOf("proxy", 3);
  const parts: string[] = [];
  for (const [index, text] of raw.entries()) {
    const part = decode(text);
    if (part === undefined || part === "." || part === "..") return undefined;
    const isForeign = proxy > 0 && index > proxy;
    if (!isForeign && (part === "" || /[/\\\0]/.test(part))) return undefined;
    parts.push(part);
  }
  return parts;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const running = new Set(["exec", "attach", "portforward"]);
const empty = { apiGroup: "", apiVersion: "", namespace: "", resource: "", subresource: "", name: "" };
