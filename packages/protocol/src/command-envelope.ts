// A command as a hub signs it and an agent carries it out. The agent trusts nothing about a command that isn't in here.

/** The kinds of commands. An agent says in each claim which of them it can run. */
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
  /** The person who asked for it, for the records of the cluster. */
  readonly requester: string;
  /** `NAMESPACE/NAME`: the rights that it runs with; the agent's own unless given. */
  readonly serviceAccount?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  /** Nothing is begun after it. */
  readonly expiresAtMs: number;
  /** For a command that is planned first, and carried out when people have approved the plan. */
  readonly approval?: EnvelopeApproval | undefined;
  /** For a command of somebody who had only the right to propose it. Absent: its requester had the right to create it. */
  readonly proposal?: EnvelopeProposal | undefined;
}

/** An agent runs none of a proposer's code, and reads no Secret for it, before somebody who may create has approved. */
export interface EnvelopeProposal {
  /** It was made from a template none of whose parameters chooses code. */
  readonly isVouched: boolean;
  /** Names of the people who approved planning it. Empty: nobody has. */
  readonly planApprovedBy: readonly string[];
}

export type EnvelopeApproval =
  /** Only a plan is wanted. The plan may be asked for until `keptMs` later. */
  { readonly is: "needed"; readonly keptMs: number } | GivenApproval;

/** The plan with this digest is wanted, and is begun until then. */
interface GivenApproval {
  readonly is: "given";
  readonly digest: string;
  readonly by: readonly string[];
  readonly untilMs: number;
  /** A later plan of the same command may be asked for so long. */
  readonly keptMs: number;
}

/** The header `typ` of the JWS: no other thing that the hub signs passes for a command. */
export const envelopeType = "fairlead-command";
/** The header `typ` of a command with an approval: agents that know nothing of approvals refuse it. */
export const approvalEnvelopeType = "fairlead-command-approval";
/** The header `typ` of a proposal, with or without an approval: agents that don't know proposals refuse it. */
export const proposalEnvelopeType = "fairlead-command-proposal";

/** The only header `typ` under which an envelope counts. */
export function envelopeTypeOf({ approval, proposal }: Pick<CommandEnvelope, "approval" | "proposal">): string {
  if (proposal !== undefined) return proposalEnvelopeType;
  return approval === undefined ? envelopeType : approvalEnvelopeType;
}

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
  const fields = value as Record<string, unknown>;
  const { id, cluster, kind, spec, dryRun, requester, serviceAccount, issuedAtMs, expiresAtMs } = fields;
  const approval = parseApproval(fields["approval"]);
  const proposal = parseProposal(fields["proposal"]);
  if (typeof id !== "string" || typeof cluster !== "string" || typeof requester !== "string") return undefined;
  if (!isCommandKind(kind) || typeof dryRun !== "boolean" || spec === undefined) return undefined;
  if (!Number.isSafeInteger(issuedAtMs) || !Number.isSafeInteger(expiresAtMs)) return undefined;
  if (serviceAccount !== undefined && typeof serviceAccount !== "string") return undefined;
  if (approval === "invalid" || proposal === "invalid") return undefined;
  return {
    id,
    cluster,
    kind,
    spec,
    dryRun,
    requester,
    serviceAccount,
    approval,
    proposal,
    issuedAtMs: issuedAtMs as number,
    expiresAtMs: expiresAtMs as number,
  };
}

function parseApproval(value: unknown): EnvelopeApproval | undefined | "invalid" {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null) return "invalid";
  const { is, keptMs, digest, by, untilMs } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(keptMs)) return "invalid";
  if (is === "needed") return { is, keptMs: keptMs as number };
  const isGiven = is === "given" && typeof digest === "string" && Number.isSafeInteger(untilMs);
  if (!isGiven || !Array.isArray(by) || !by.every((name) => typeof name === "string")) return "invalid";
  return { is, digest, by, untilMs: untilMs as number, keptMs: keptMs as number };
}

function parseProposal(value: unknown): EnvelopeProposal | undefined | "invalid" {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null) return "invalid";
  const { isVouched, planApprovedBy: by } = value as Record<string, unknown>;
  if (typeof isVouched !== "boolean") return "invalid";
  if (!Array.isArray(by) || !by.every((name) => typeof name === "string")) return "invalid";
  return { isVouched, planApprovedBy: by };
}
