// The subject of a request to an API server, read from its method and path the way the API server itself does
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
  /** It wants to become a byte pipe. */
  readonly upgrade?: boolean;
}): RequestAttributes | undefined {
  const at = request.path.indexOf("?");
  const path = at < 0 ? request.path : request.path.slice(0, at);
  const query = at < 0 ? "" : request.path.slice(at + 1);
  const parts = splitPath(path);
  if (parts === undefined) return undefined;
  const method = request.method.toUpperCase();
  const first = resourceAt(parts);
  if (!areExact(parts, first)) return undefined;
  const upgrade = request.upgrade === true;
  if (first === 0) return { ...empty, verb: upgrade ? "create" : method.toLowerCase(), isResource: false, path };
  const isGroup = parts[0] === "apis";
  const apiGroup = isGroup ? (parts[1] ?? "") : "";
  const apiVersion = parts[isGroup ? 2 : 1] ?? "";
  const prefix = parts[isGroup ? 3 : 2] ?? "";
  const special = specialVerbs.has(prefix) ? prefix : "";
  const { namespace, resource, name, subresource } = readResource(parts, first);
  const sort = { isResource: true, path, apiGroup, apiVersion, namespace, resource, subresource };
  // Behind the old verb `proxy` a path has no subresource: what follows the name is the other server's.
  if (special === "proxy") return { ...sort, verb: special, subresource: "", name };
  if (special !== "") return { ...sort, verb: special, name };
  if (running.has(subresource)) return { ...sort, verb: "create", name };
  if (name !== "" || (method !== "GET" && method !== "HEAD")) {
    const isPipe = upgrade && (apiGroup !== "" || !reading.has(subresource));
    return { ...sort, verb: isPipe ? "create" : toVerb(method, name), name };
  }
  const parameters = readListParameters(query);
  const verb = parameters.isWatch ? "watch" : upgrade ? "create" : "list";
  return { ...sort, verb, name: parameters.name };
}

/** Where the resource stands in the path; 0 when the path is about none. */
function resourceAt(parts: readonly string[]): number {
  const [prefix] = parts;
  let at = prefix === "api" && parts.length >= 3 ? 2 : prefix === "apis" && parts.length >= 4 ? 3 : 0;
  if (at === 0) return 0;
  if (specialVerbs.has(parts[at] ?? "") && parts.length > at + 1) at += 1;
  // `namespaces/NAME` is the namespace itself, and status and finalize are its own.
  const behind = parts[at + 2];
  if (parts[at] === "namespaces" && behind !== undefined && behind !== "status" && behind !== "finalize") at += 2;
  return at;
}

function readResource(
  parts: readonly string[],
  at: number,
): { namespace: string; resource: string; name: string; subresource: string } {
  const [resource = "", name = "", subresource = ""] = parts.slice(at, at + 3);
  // A group or a version that is called `namespaces` is none.
  const isInNamespace = parts[at - 2] === "namespaces" && at - 2 >= (parts[0] === "apis" ? 3 : 2);
  const namespace = isInNamespace ? (parts[at - 1] ?? "") : resource === "namespaces" ? name : "";
  return { namespace, resource, name, subresource };
}

/**
 * A WebSocket begins with a GET: what runs something in a pod needs the right to create, whatever the method. So does a
 * byte pipe to any other path, which the server behind an APIService may serve. A watch is what it is over a WebSocket, too.
 */
const running = new Set(["exec", "attach", "portforward"]);
/** Logs of pods go over a WebSocket for browsers; what is behind `proxy` is up to those who have the right to it. */
const reading = new Set(["log", "proxy"]);

function toVerb(method: string, name: string): string {
  switch (method) {
    case "GET":
    case "HEAD":
      return "get";
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

/** As Go reads a query: of repeated names the first counts, and a pair that isn't well-formed is as if it weren't there. */
function readListParameters(query: string): { readonly isWatch: boolean; readonly name: string } {
  let watch: string | undefined;
  let selector: string | undefined;
  if (!query.includes("watch") && !query.includes("fieldSelector") && !query.includes("%")) return list;
  for (const pair of query.split("&")) {
    if (pair.includes(";")) continue;
    const at = pair.indexOf("=");
    const key = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    if (key !== "watch" && key !== "fieldSelector") continue;
    const value = decodeQuery(at < 0 ? "" : pair.slice(at + 1));
    if (value === undefined) continue;
    if (key === "watch") watch ??= value;
    else selector ??= value;
  }
  // All but "0" and "false" is true, also the empty value.
  const isWatch = watch !== undefined && watch !== "0" && watch.toLowerCase() !== "false";
  return { isWatch, name: /^metadata\.name==?([a-z0-9.-]+)$/.exec(selector ?? "")?.[1] ?? "" };
}

/** Decoded parts; undefined when one isn't UTF-8 in percent-encoding. */
function splitPath(path: string): string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const parts = path.slice(1).split("/");
  if (parts.at(-1) === "") parts.pop();
  if (!path.includes("%")) return parts;
  for (const [index, part] of parts.entries()) {
    const decoded = decode(part);
    if (decoded === undefined) return undefined;
    parts[index] = decoded;
  }
  return parts;
}

/** Behind a pod's, service's or node's `/proxy/` the path is its own and may hold anything but dot segments. */
function areExact(parts: readonly string[], resource: number): boolean {
  const foreign = resource > 0 && parts[resource + 2] === "proxy" ? resource + 3 : parts.length;
  return parts.every((part, index) => {
    if (part === "." || part === "..") return false;
    return index < foreign ? part !== "" && !/[/\\\0]/.test(part) : !/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(part);
  });
}

/** Undefined when it isn't percent-encoding. Go takes any bytes, so what isn't UTF-8 is a value all the same. */
function decodeQuery(text: string): string | undefined {
  return decode(text.replaceAll("+", " ")) ?? (/%(?![0-9a-f]{2})/i.test(text) ? undefined : "\ufffd");
}

function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const specialVerbs = new Set(["watch", "proxy"]);
const list = { isWatch: false, name: "" };
const empty = { apiGroup: "", apiVersion: "", namespace: "", resource: "", subresource: "", name: "" };

/** The resource with its subresource, for example `pods/exec`; empty where the path is about none. */
export function formatResource({ resource, subresource }: Pick<RequestAttributes, "resource" | "subresource">): string {
  return subresource === "" ? resource : `${resource}/${subresource}`;
}
