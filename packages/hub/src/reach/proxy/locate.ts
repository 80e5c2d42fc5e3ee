// Puts what an answer's headers point to below the cluster's own prefix. An API server names paths from its root
// (`/api/v1/…`), which at the hub belong to the hub: a client that follows them would ask somebody else.
export interface ReferenceBase {
  /** The hub's path of the cluster, `/k8s/clusters/NAME`; empty where the cluster has a host of its own. */
  readonly prefix: string;
  /** The request's path at the API server. */
  readonly path: string;
  /** The client's own word for the hub. */
  readonly host?: string | undefined;
}

/** Headers whose values hold references, by their names in lower case. */
export type ReferenceHeader = "location" | "content-location" | "link" | "refresh";

export function isReferenceHeader(lower: string): lower is ReferenceHeader {
  return lower === "location" || lower === "content-location" || lower === "link" || lower === "refresh";
}

/** The header's value with each reference of the cluster's as the hub's clients reach it. */
export function locateHeader(name: ReferenceHeader, value: string, base: ReferenceBase): string {
  if (base.prefix === "") return value;
  switch (name) {
    case "location":
    case "content-location":
      return locate(value, base);
    case "link":
      return value.replace(linkTarget, (_, reference: string) => `<${locate(reference, base)}>`);
    case "refresh":
      return value.replace(refreshTarget, (_, before: string, quote: string, reference: string) => {
        return `${before}${quote}${locate(reference, base)}`;
      });
  }
}

/** Other hosts stay as they are, and so does a relative reference that stays below the prefix. */
function locate(reference: string, { prefix, path, host = "" }: ReferenceBase): string {
  if (plainPath.test(reference)) return `${prefix}${reference}`;
  const own = URL.canParse(`https://${host}`) ? new URL(`https://${host}`).host : "hub.invalid";
  const meant = parse(reference, `https://${own}${path}`);
  if (meant?.host !== own) return reference;
  const seen = parse(reference, `https://${own}${prefix}${path}`);
  const isRelative = !/^[a-z][a-z0-9+.-]*:|^[/\\]/i.test(reference.trim());
  if (isRelative && seen?.pathname.startsWith(`${prefix}/`)) return reference;
  return `${prefix}${meant.pathname}${meant.search}${meant.hash}`;
}

function parse(reference: string, base: string): URL | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base) : undefined;
}

/** From the root, and read alike by everybody: no second slash, no dot segments in any spelling. */
const plainPath = /^\/(?![/\\])(?![^?#]*(?:\.|%2e|\\))[\x21-\x7e]*$/i;
const linkTarget = /<([^<>]*)>/g;
const refreshTarget = /^(\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?)(["']?)(.+)$/is;
