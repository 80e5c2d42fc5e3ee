import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GITOPS_CALL_ENDED: {
    retryable: true,
    message: "The call that syncs Argo CD's applications has ended.",
    hint: "The agent makes the next one by itself.",
  },
  GITOPS_NOT_WELCOMED: {
    retryable: true,
    message: "The hub hasn't answered the call about Argo CD's applications within {seconds} s.",
    hint: "The agent calls again by itself; see the hub's log when it doesn't pass.",
  },
  GITOPS_OWNER_OUTDATED: {
    retryable: true,
    message: "A hub answered that owned this cluster's sync before another one did.",
    hint: "The agent calls again by itself, and is passed on to the hub that owns it now.",
  },
  GITOPS_MODE_REFUSED: {
    message: "The hub declares the mode {mode} for this cluster, and the agent was told not to take it.",
    hint: "Set --gitops-modes (Helm: gitops.modes), or another mode: fairlead cluster set NAME --gitops-mode MODE.",
  },
  GITOPS_HUB_OUTDATED: {
    retryable: true,
    message: "A hub of a version before the mapping by destination answered, which this cluster has.",
    hint: "The agent calls again by itself. Upgrade the hubs, or set the mapping by namespace before you go back to that version.",
  },
  GITOPS_HUB_UNABLE: {
    retryable: true,
    message: "There is no hub that syncs Argo CD's applications with this agent.",
    hint: "The link may be away, the certificate may lack the role gitops, or the hub may be older than this agent.",
  },
  GITOPS_NOT_SYNCED: { retryable: true, message: "{message}", hint: "The agent goes on by itself." },
} as const;

export const gitopsErrors: Errors<typeof table> = defineErrors(table);
