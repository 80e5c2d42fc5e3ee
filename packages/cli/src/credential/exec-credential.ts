// The protocol between kubectl, or any client library built like it, and a credential plugin:
// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
import { execVersionUnknown } from "./errors.ts";

export interface Credential {
  readonly token: string;
  /** From when on the plugin is to be asked again; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** In the version that `execInfo` (KUBERNETES_EXEC_INFO) asks for; v1 when nobody asks. */
export function formatExecCredential({ token, expiresAt }: Credential, execInfo: string | undefined): string {
  // Whole seconds: clients read this time with parsers of different strictness.
  const expirationTimestamp =
    expiresAt === undefined ? undefined : new Date(expiresAt).toISOString().replace(/\.\d+Z$/, "Z");
  return `${JSON.stringify({
    kind: "ExecCredential",
    apiVersion: readApiVersion(execInfo),
    spec: {},
    status: { token, expirationTimestamp },
  })}\n`;
}

function readApiVersion(execInfo: string | undefined): string {
  if (execInfo === undefined) return versions[0];
  const { apiVersion } = parseInfo(execInfo);
  const known = versions.find((version) => version === apiVersion);
  if (known === undefined) throw execVersionUnknown(versions);
  return known;
}

function parseInfo(execInfo: string): { readonly apiVersion?: unknown } {
  try {
    const value: unknown = JSON.parse(execInfo);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
