// What a hub signs and an agent carries out. The agent trusts nothing about a command that isn't in here.

/** What agents may be asked to run. An agent says in each claim which of them it can. */
export const commandKinds = ["manifests", "helm", "tofu", "flow"] as const;
export type CommandKind = (typeof commandKinds)[number];

export interface CommandEnvelope {
  readonly id: string;
  /** An agent of another cluster refuses it. */
  readonly cluster: string;
  readonly kind: CommandKind;
  /** As the kind has it; the agent checks it. */
  readonly spec: unknown;
  /** Says what would change, and changes nothing. */
  readonly dryRun: boolean;
  /** Who asked for it, for the records of the cluster. */
  readonly requester: string;
  /** `NAMESPACE/NAME`: the rights that it runs with; the agent's own unless given. */
  readonly serviceAccount?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  /** Nothing is begun after it. */
  readonly expiresAtMs: number;
}

/** The header `typ` of the JWS: no other thing that the hub signs passes for a command. */
export const envelopeType = "fairlead-command";

export function isCommandKind(value: unknown): value is CommandKind {
  return (commandKinds as readonly unknown[]).includes(value);
}

/** Undefined for what isn't one. */
export function parseCommandEnvelope(json: string): CommandEnvelope | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { id, cluster, kind, spec, dryRun, requester, serviceAccount, issuedAtMs, expiresAtMs } = value as Record<
    string,
    unknown
  >;
  if (typeof id !== "string" || typeof cluster !== "string" || typeof requester !== "string") return undefined;
  if (!isCommandKind(kind) || typeof dryRun !== "boolean" || spec === undefined) return undefined;
  if (!Number.isSafeInteger(issuedAtMs) || !Number.isSafeInteger(expiresAtMs)) return undefined;
  if (serviceAccount !== undefined && typeof serviceAccount !== "string") return undefined;
  return {
    ...{ id, cluster, kind, spec, dryRun, requester, serviceAccount },
    issuedAtMs: issuedAtMs as number,
    expiresAtMs: expiresAtMs as number,
  };
}
