import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GITOPS_CALL_ENDED: {
    retryable: true,
    message: "The call that syncs Argo CD's applications has ended.",
    hint: "The agent makes the next one by itself.",
    meaning: "The call in which an agent and the hub sync Argo CD's applications has ended without a reason.",
    remedy: "Nothing: the agent makes the next one by itself.",
  },
  GITOPS_NOT_WELCOMED: {
    retryable: true,
    message: "The hub hasn't answered the call about Argo CD's applications within {seconds} s.",
    hint: "The agent calls again by itself. If this happens again and again, look into the hub's log.",
    meaning: "The hub didn't answer an agent's call about applications within a minute.",
  },
  GITOPS_OWNER_OUTDATED: {
    retryable: true,
    message: "The hub that answered doesn't own this cluster's sync any more: another one has taken over.",
    hint: "The agent calls again by itself, and is passed on to the hub that owns it now.",
    remedy: "Nothing: the agent calls again.",
  },
  GITOPS_MODE_REFUSED: {
    message: "The hub declares the mode {mode} for this cluster, and the agent was told not to take it.",
    hint: "Set --gitops-modes (Helm: gitops.modes), or another mode: fairlead cluster set NAME --gitops-mode MODE.",
    remedy: "Change `--gitops-modes`, or the mode: `fairlead cluster set NAME --gitops-mode MODE`.",
  },
  GITOPS_HUB_UNABLE: {
    retryable: true,
    message: "There is no hub that syncs Argo CD's applications with this agent.",
    hint: "The link may be away, the certificate may lack the role gitops, or the hub may be older than this agent.",
  },
  GITOPS_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "The agent goes on by itself.",
    meaning:
      "The agent can't read a kind of Argo CD's objects: there is no CRD, or the agent lacks the right. Nothing is deleted because of that.",
    remedy: "The message is the API server's own. Install Argo CD, or give the agent the chart's rights.",
  },
} as const;

export const gitopsErrors: Errors<typeof table> = defineErrors(table);
