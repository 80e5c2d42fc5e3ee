// An agent's credential as headers, between the hub that its connection came to and the one that has its link.
import { isRole, type RawHeaders } from "@fairlead/protocol";
import type { Credential } from "../links/index.ts";

export function formatCredential(credential: Credential): RawHeaders {
  switch (credential.kind) {
    case "certificate":
      return [certificateHeader, Buffer.from(credential.der).toString("base64")];
    case "mesh":
      return [meshHeader, credential.identity, rolesHeader, credential.roles.join()];
  }
}

/** Undefined when there is none, or more than one. */
export function readCredential(headers: RawHeaders): Credential | undefined {
  const certificate = readHeader(headers, certificateHeader);
  const identity = readHeader(headers, meshHeader);
  if (certificate !== undefined && identity === undefined)
    return { kind: "certificate", der: Buffer.from(certificate, "base64") };
  if (certificate !== undefined || identity === undefined) return undefined;
  return { kind: "mesh", identity, roles: (readHeader(headers, rolesHeader) ?? "").split(",").filter(isRole) };
}

export function readHeader(headers: RawHeaders, name: string): string | undefined {
  const index = headers.findIndex((text, at) => at % 2 === 0 && text === name);
  return index < 0 ? undefined : headers[index + 1];
}

const certificateHeader = "x-fairlead-agent-certificate";
const meshHeader = "x-fairlead-agent-mesh-identity";
const rolesHeader = "x-fairlead-agent-roles";
