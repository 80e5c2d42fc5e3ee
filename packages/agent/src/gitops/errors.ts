import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GITOPS_CALL_ENDED: {
    retryable: true,
    message: "The call that syncs Argo CD applications with the hub has ended.",
    hint: "Nothing to do: the agent starts a new call.",
    meaning: "The call that syncs Argo CD applications with the hub has ended without a reason.",
  },
  GITOPS_NOT_WELCOMED: {
    retryable: true,
    message: "The hub didn't answer the call that syncs Argo CD applications within {seconds} s.",
    hint: "The agent retries. If this happens repeatedly, check the hub's log.",
    meaning: "The hub didn't answer the call that syncs Argo CD applications within a minute.",
  },
  GITOPS_OWNER_OUTDATED: {
    retryable: true,
    message: "The hub that answered no longer owns this cluster's sync: another hub has taken over.",
    hint: "Nothing to do: the agent retries, and is passed on to the hub that owns the sync.",
  },
  GITOPS_MODE_REFUSED: {
    message: "The hub sets the mode {mode} for this cluster, but the agent's settings don't allow it.",
    hint: "Allow the mode with --gitops-modes (Helm: gitops.modes), or set another one: fairlead cluster set NAME --gitops-mode MODE.",
    remedy: "Allow the mode with `--gitops-modes`, or set another one: `fairlead cluster set NAME --gitops-mode MODE`.",
  },
  GITOPS_HUB_UNABLE: {
    retryable: true,
    message: "No hub syncs Argo CD applications with this agent.",
    hint: "Check that the link is up, that the agent's certificate has the role gitops, and that the hub isn't older than this agent.",
  },
  GITOPS_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "The agent retries.",
    meaning:
      "The agent can't read a kind of Argo CD object: the CRD is missing, or the agent lacks the permission. Nothing is deleted because of it.",
    remedy: "Install Argo CD, or give the agent the chart's permissions. The message comes from the API server.",
  },
} as const;

export const gitopsErrors: Errors<typeof table> = defineErrors(table);
