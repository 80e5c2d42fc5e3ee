// Reads the agent's identity as the mesh tells it. The header must come once, with one identity in it.
import { roles as everyRole, isRole, linkRolesHeader, type Role } from "@fairlead/protocol";
import { meshErrors } from "./errors.ts";
import { parseXfcc } from "./xfcc.ts";

/** `rawHeaders` because Node joins lines of one name, or drops all but the first. Throws LINK_MESH_HEADER_*. */
export function readIdentity(rawHeaders: readonly string[], header: string): string {
  const [value, ...others] = valuesOf(rawHeaders, header);
  if (value === undefined || value === "") throw meshErrors.LINK_MESH_HEADER_MISSING({ header });
  if (others.length > 0) throw meshErrors.LINK_MESH_HEADER_DOUBLED({ header });
  if (value.length > mostHeader) throw invalid(header, `it is longer than ${mostHeader} characters`);
  const identity = header === xfcc ? readNearest(value) : readOnly(value, header);
  if (identity.length > mostIdentity) throw invalid(header, `its identity is longer than ${mostIdentity} characters`);
  if (!/^[\x21-\x7e]+$/.test(identity)) throw invalid(header, "its identity has blanks or other than ASCII in it");
  return identity;
}

/** The roles that the agent says it runs, each once. Throws LINK_MESH_ROLES_MISSING. */
export function readRoles(rawHeaders: readonly string[]): Role[] {
  const [value, ...others] = valuesOf(rawHeaders, linkRolesHeader);
  const named = value?.split(",").map((name) => name.trim()) ?? [];
  if (named.length === 0 || others.length > 0 || !named.every(isRole))
    throw meshErrors.LINK_MESH_ROLES_MISSING({ header: linkRolesHeader });
  return everyRole.filter((role) => named.includes(role));
}

/** The last element is that of the proxy next to the hub; those before it are hearsay. */
function readNearest(value: string): string {
  const nearest = parseXfcc(value)?.at(-1);
  if (!nearest) throw invalid(xfcc, "it can't be read");
  const [uri, ...others] = nearest.pairs.filter(([key]) => key === "uri");
  if (others.length > 0) throw meshErrors.LINK_MESH_HEADER_DOUBLED({ header: xfcc });
  if (uri === undefined || uri[1] === "") throw invalid(xfcc, "its last element has no URI");
  return uri[1];
}

function readOnly(value: string, header: string): string {
  if (value.includes(",")) throw meshErrors.LINK_MESH_HEADER_DOUBLED({ header });
  return value;
}

function valuesOf(rawHeaders: readonly string[], header: string): string[] {
  return rawHeaders.flatMap((name, index) => {
    const isName = index % 2 === 0 && name.toLowerCase() === header;
    return isName ? [(rawHeaders[index + 1] ?? "").trim()] : [];
  });
}

function invalid(header: string, reason: string): Error {
  return meshErrors.LINK_MESH_HEADER_INVALID({ header, reason });
}

const xfcc = "x-forwarded-client-cert";
/** Certificates may be in it. The listener takes no more than 8 KiB of headers anyway. */
const mostHeader = 6_144;
/** Names of SPIFFE may have 2048, those of Kubernetes come to 500. */
const mostIdentity = 1_024;
