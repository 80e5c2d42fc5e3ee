import { Code, ConnectError } from "@connectrpc/connect";

/** Why a side ends or refuses the call itself. */
export type GitopsRefusal = (typeof gitopsRefusals)[number];

export const gitopsRefusals = [
  /** The hub declares no mode for this cluster. */
  "GITOPS_OFF",
  /** The agent claims another mode or mapping than the hub declares. */
  "GITOPS_MODE_MISMATCH",
  /** The agent is of a version before the mapping that the hub declares. */
  "GITOPS_AGENT_OUTDATED",
  /** Another cluster answers under this name. */
  "GITOPS_CLUSTER_REPLACED",
  /** Another agent leads. */
  "GITOPS_NOT_LEADER",
  /** Another hub owns this cluster's sync, or has owned it since. */
  "GITOPS_NOT_OWNER",
] as const;

/** As it crosses the wire: the code stands in front of the message, as with every typed call. */
export function formatGitopsRefusal(code: GitopsRefusal, message: string): ConnectError {
  return new ConnectError(`${code}: ${message}`, Code.FailedPrecondition);
}

export function parseGitopsRefusal(error: unknown): GitopsRefusal | undefined {
  const code = error instanceof ConnectError ? error.rawMessage.split(":", 1)[0] : undefined;
  return gitopsRefusals.find((refusal) => refusal === code);
}
