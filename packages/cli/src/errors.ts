import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_USAGE: { httpStatus: 400, message: "{message}" },
  CLI_NOT_SIGNED_IN: {
    httpStatus: 401,
    message: "You aren't signed in to a hub: the file {file} doesn't exist.",
    hint: "Run 'fairlead login https://HUB' first.",
    meaning: "The configuration file doesn't exist yet.",
  },
  CLI_CONTEXT_UNKNOWN: {
    httpStatus: 401,
    message: "The context '{name}' doesn't exist in {file}.",
    hint: "Sign in with 'fairlead login https://HUB', and add --context to use this name.",
    meaning: "The configuration doesn't have the context that `--context` or `FAIRLEAD_CONTEXT` names.",
    remedy: "Sign in, with `--context NAME` to use that name.",
  },
  CLI_CONTEXT_OTHER_HUB: {
    httpStatus: 401,
    message: "The context '{name}' is signed in to {actual}, not to {wanted}.",
    hint: "Run 'fairlead login {wanted}' and write the kubeconfig again.",
    meaning:
      "A kubeconfig names a context that has since signed in to another hub. The context's token isn't sent to the first hub.",
    remedy: "Sign in to the hub again and write the kubeconfig again.",
  },
  CLI_CONFIG_LOCKED: {
    retryable: true,
    message: "Another fairlead process has locked the configuration: {lock} exists.",
    hint: "Retry. If no other fairlead process is running, delete the lock file.",
    meaning: "Another fairlead process has held the configuration file's lock for longer than any process needs it.",
    remedy: "Retry. If no other fairlead process is running, delete the `.lock` file that the message names.",
  },
  CLI_CONFIG_INVALID: {
    message: "The configuration file {file} can't be used: {why}.",
    hint: "Sign in again with 'fairlead login' to write a new one, or name another with --config.",
    meaning: "The configuration file can't be read or parsed; the message names it and gives the reason.",
  },
  CLI_FILE_NOT_READ: {
    message: "The file {file} can't be read{reason}.",
    hint: "Check its path and permissions.",
    meaning: "A file that the command names can't be read, or doesn't have the expected content.",
  },
  CLI_FILE_NOT_WRITTEN: {
    message: "The file {file} can't be written{reason}.",
    hint: "Check the folder's permissions and the free space. The previous content is unchanged.",
    meaning: "A file can't be written.",
  },
  CLI_TOKEN_NOT_KEPT: {
    message: "The cluster '{cluster}' has a new join token, but it can't be written to {file}{reason}.",
    hint: "Create another one with 'fairlead cluster token create {cluster} --token-out FILE'.",
    meaning: "The hub created a join token, but the file named by `--token-out` can't be written.",
  },
  CLI_TOKEN_MISSING: {
    httpStatus: 400,
    message: "There is no token {where}.",
    hint: "Pass it with --token-file FILE, on standard input, or in FAIRLEAD_TOKEN.",
    meaning: "`login` found no token in the place that the command names.",
  },
  CLI_LOGOUT_UNTOLD: {
    message: "You are signed out here, but {hub} couldn't be notified.{why}",
    hint: "The session on the hub ends by itself. The hub's administrators can end it at once.",
    meaning: "The session was deleted here, but the hub couldn't be notified.",
    remedy: "Nothing to do here. The hub's administrators can end the session there at once.",
  },
  CLI_HUB_UNTRUSTED: {
    message: "The certificate that {origin} presents isn't trusted: {why}.",
    hint: "Sign in again with --ca-fingerprint: the hub printed its CA's fingerprint when it first started.",
    meaning:
      "The hub's certificate isn't issued by the pinned CA (or a CA that the system trusts), is for another name, or isn't valid now.",
    remedy: "Sign in again with `--ca-fingerprint`; check the address and the clock.",
  },
  CLI_FOLDER_NOT_EMPTY: {
    httpStatus: 409,
    message: "The folder {folder} isn't empty, and nothing in it is overwritten.",
    hint: "Name an empty or new folder with --dir.",
    meaning: "`cluster scaffold` writes only into an empty folder, and the named folder isn't empty.",
    remedy: "Name another folder with `--dir`.",
  },
  CLI_INPUT_MISSING: {
    httpStatus: 400,
    message: "These inputs are missing: {inputs}.",
    hint: "Set each with --set KEY=VALUE.",
    meaning:
      "`cluster scaffold` lacks inputs, and either there is no terminal to ask on or the answer was empty. The message names them.",
  },
  CLI_FINGERPRINT_MISMATCH: {
    message: "No certificate that {origin} presents has the fingerprint you gave.",
    hint: "Compare it with the fingerprint that the hub printed when it first started. If it is right, someone may be intercepting the connection.",
    meaning: "No certificate that the hub presents has the fingerprint from `--ca-fingerprint`.",
    remedy:
      "Compare it with the fingerprint that the hub printed. If it is right, don't continue: someone may be intercepting the connection.",
  },
  CLI_ADDON_NOT_REMOVABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be removed from '{cluster}' here: {why}",
    meaning: "`fairlead addon uninstall` names an addon that doesn't exist, or that something other than Helm manages.",
    remedy: "Remove it with the tool that installed it, as the message says.",
  },
  CLI_ADDON_RELEASE_HIDDEN: {
    httpStatus: 403,
    message:
      "You aren't allowed to read Helm's record of the release '{release}' in the namespace '{namespace}' of '{cluster}'.",
    hint: "Request permission to read Secrets there: 'helm get values' needs the same permission.",
    meaning: "You aren't allowed to read the Secrets in which Helm stores a release.",
    remedy: "Request that permission in the namespace; `helm get values` needs it too.",
  },
  CLI_ADDON_UNHEALTHY: {
    message: "The addon '{addon}' of '{cluster}' didn't become healthy: {why}",
    hint: "Fix the cause that the message names, and run the same command again to resume.",
    meaning:
      "An addon that Argo CD manages didn't become healthy in time; the message names the workload and the reason.",
  },
  CLI_GATEWAY_UNKNOWN: {
    httpStatus: 404,
    message: "The cluster '{cluster}' has no gateway '{gateway}' that claims {key}.",
    hint: "Gateways that claim it: {known}.",
    meaning: "`fairlead gateway prefer` names a gateway that doesn't claim this host and port.",
    remedy: "Choose one of the gateways that the message names.",
  },
  CLI_CONFIRMATION_NEEDED: {
    httpStatus: 400,
    message: "To {action}, confirmation is required, and there is no terminal to ask on.",
    hint: "Add --yes.",
    meaning: "A destructive command ran without a terminal to ask for confirmation.",
  },
  CLI_DIGEST_NEEDED: {
    httpStatus: 400,
    message: "The plan wasn't approved: there is no terminal to show it on.",
    hint: "Run 'fairlead run get RUN' to see the plan, and add the --digest that it shows.",
    meaning:
      "`run approve` without `--digest` shows the plan and asks for confirmation, and there is no terminal for that.",
  },
  CLI_APPROVE_TO_PLAN: {
    httpStatus: 409,
    message: "The run has no plan yet: planning it requires approval.",
    hint: "Run 'fairlead run approve RUN --to-plan' to see and approve the proposal.",
    meaning: "`run approve` names a proposal that has no plan yet: planning it requires approval.",
  },
  CLI_NOTHING_TO_APPROVE: {
    httpStatus: 409,
    message: "The run isn't waiting for approval: it is {state}.",
    hint: "Run 'fairlead run get RUN' to see its progress.",
  },
  CLI_ROLE_UNKNOWN: {
    httpStatus: 404,
    message: "The hub has no role '{name}'.",
    hint: "Run 'fairlead access role list' to list them.",
    meaning: "`access role get` names a role that the hub doesn't have.",
  },
  CLI_ROLE_MISSING: {
    httpStatus: 403,
    message: "{name} has no role in any cluster, and so can't see any cluster.",
    hint: "Ask the hub's administrators to grant a role with 'fairlead access binding create'.",
    meaning: "A user without any role requested clusters, and can't see any.",
    remedy: "Ask the hub's administrators to grant a role with `fairlead access binding create`.",
  },
  CLI_REPLACEMENT_MISSING: {
    httpStatus: 409,
    message: "No other cluster answers under the name '{cluster}', so there is nothing to confirm.",
    hint: "Run 'fairlead cluster get {cluster}' to see its state.",
    meaning: "`cluster confirm` names a cluster, but no other cluster answers under its name.",
    remedy: "Nothing to do. Run `fairlead cluster get` to see its state.",
  },
  CLI_MOVE_WAITS: {
    retryable: true,
    message:
      "'{cluster}' is between argocd-agent and Fairlead, and neither manages it. The move timed out waiting for this condition: {what}.",
    hint: "Find the cause, and run the same command again to resume. With --back instead of --apply, it moves the cluster back.",
    meaning:
      "`gitops import-argocd-agent` waited two minutes for one of its steps: an agent's pod that doesn't stop, or a hub that doesn't exchange the cluster's applications. Meanwhile neither argocd-agent nor Fairlead manages the cluster; Argo CD in the cluster continues.",
  },
  CLI_DELETIONS_NONE: {
    httpStatus: 409,
    message: "No deletions of '{cluster}' are pending, so there is nothing to confirm.",
    hint: "Run 'fairlead gitops status {cluster}' to see the state of its application sync.",
    meaning: "`gitops confirm` found no pending deletions of the cluster's applications.",
  },
  CLI_APPLICATION_UNREADY: {
    message: "The application '{name}' isn't ready: it is {state}.",
    hint: "Run 'fairlead argo app get {name}' to see it, and 'fairlead argo app diff {name}' to see what is out of sync.",
    meaning:
      "`argo app wait` waited for an application that didn't become ready in time, whose sync failed, or that is being deleted. The exit code is 10.",
  },
  CLI_APPLICATION_EXISTS: {
    httpStatus: 409,
    message: "'{cluster}' already has an application '{name}'.",
    hint: "Change it with 'fairlead argo app set', or replace it with --upsert.",
    meaning: "The application that `argo app create` would create already exists. It was left unchanged.",
  },
  CLI_CANCELLED: {
    message: "Nothing was changed.",
    meaning: "You answered the confirmation with no, so nothing was changed.",
    remedy: "Nothing to do.",
  },
  CLI_ID_UNKNOWN: {
    httpStatus: 404,
    message: "No {noun} that you can see has an ID that begins with '{beginning}'.",
    hint: "Run 'fairlead {noun} list' to list them. Only the newest {most} can be found by the beginning of their ID.",
    meaning: "The command names a run or a rollout by the beginning of its ID, and none of the newest 5000 matches.",
    remedy: "List them, and use the whole ID.",
  },
  CLI_ID_AMBIGUOUS: {
    httpStatus: 409,
    message: "More than one {noun} has an ID that begins with '{beginning}': {ids}.",
    hint: "Use more characters of the ID.",
    meaning:
      "The command names a run or a rollout by the beginning of its ID, and more than one matches; the message lists them.",
  },
  CLI_LAST_MISSING: {
    httpStatus: 404,
    message: "You haven't requested any {noun}.",
    hint: "Run 'fairlead {noun} list' to list those of other users.",
    meaning: "`--last` means the newest run or rollout that you requested, and there is none.",
  },
  CLI_RUN_UNSUCCESSFUL: {
    message: "{failed} of {all} runs didn't succeed.",
    hint: "Run 'fairlead run get RUN' to see why, or 'fairlead run retry RUN' to retry.",
    meaning: "One or more of the runs that the command waited for didn't succeed. The exit code is 10.",
  },
  CLI_ROLLOUT_UNSUCCESSFUL: {
    message: "The rollout {id} is {state}: {failed} clusters failed, and {skipped} were skipped.",
    hint: "Run 'fairlead rollout get ROLLOUT' to see why, or 'fairlead rollout retry ROLLOUT' to retry the failed clusters.",
    meaning: "The rollout that the command waited for didn't end as `succeeded`. The exit code is 10.",
  },
  CLI_STACK_UNSUCCESSFUL: {
    message: "The run of stack '{stack}' ended as {state}.",
    hint: "Run 'fairlead stack get {stack}' to see its resources. Apply it again to resume with what is missing.",
    meaning: "The stack run that the command waited for didn't end as `succeeded`. The exit code is 10.",
  },
  CLI_CLUSTER_PROTECTED: {
    httpStatus: 409,
    message: "The cluster '{name}' is protected, so none of its applications can be released.",
    hint: "If it is the right cluster, remove the protection first: 'fairlead cluster set {name} --no-protected'.",
    meaning: "The request deletes or revokes a protected cluster and releases its Argo CD applications on the hub.",
  },
  CLI_STACK_IDLE: {
    httpStatus: 409,
    message: "No run of stack '{stack}' is in progress.",
    hint: "Run 'fairlead stack get {stack}' to see the last one.",
    meaning: "The stack run to cancel doesn't exist: no run is in progress.",
  },
  CLI_KUBECONFIG_INVALID: {
    message: "Contexts can't be merged into the kubeconfig {file}: {why}.",
    hint: "Correct the file, or write another one with --output.",
    meaning: "The kubeconfig to merge into isn't YAML or doesn't have the structure of a kubeconfig.",
  },
  CLI_KUBECONFIG_TAKEN: {
    httpStatus: 409,
    message: "The entry {entry} in {file} belongs to {owner} and is left unchanged.",
    hint: "Choose other names with --context-prefix, or delete the entry with 'kubectl config' first.",
    meaning: "A name is in use by an entry that isn't Fairlead's, or that belongs to another hub.",
  },
  CLI_KUBECONFIG_FOREIGN: {
    httpStatus: 409,
    message: "The file {file} contains more than Fairlead's contexts, so it isn't replaced.",
    hint: "Add the contexts to it with --merge {file}.",
    meaning: "`--output` names a file that contains more than Fairlead's contexts.",
  },
  CLI_KUBECONFIG_LOCKED: {
    retryable: true,
    message: "Another program is writing {file}: {file}.lock exists.",
    hint: "Retry. If kubectl isn't running, delete the lock file.",
    meaning: "Another program holds the kubeconfig's lock, or left it behind.",
  },
} as const;

export const cliErrors: Errors<typeof table> = defineErrors(table);

export function usage(message: string, hint?: string): FairleadError {
  return cliErrors.CLI_USAGE({ message, hint });
}

export function fileNotRead(file: string, cause: unknown): FairleadError {
  return cliErrors.CLI_FILE_NOT_READ({ file, reason: reason(cause), cause });
}

export function fileNotWritten(file: string, cause: unknown): FairleadError {
  return cliErrors.CLI_FILE_NOT_WRITTEN({ file, reason: reason(cause), cause });
}

export function tokenNotKept(file: string, cluster: string, cause: unknown): FairleadError {
  return cliErrors.CLI_TOKEN_NOT_KEPT({ cluster, file, reason: reason(cause), cause });
}

export function logoutUntold(hub: string, cause: unknown): FairleadError {
  const why = cause instanceof Error ? ` ${cause.message}` : "";
  return cliErrors.CLI_LOGOUT_UNTOLD({ hub, why, cause });
}

function reason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
      return ": it doesn't exist";
    case "EACCES":
    case "EPERM":
      return ": no permission";
    case "EISDIR":
      return ": it is a folder";
    case "ENOSPC":
      return ": the disk is full";
    case "EROFS":
      return ": the file system is read-only";
    default:
      return "";
  }
}
