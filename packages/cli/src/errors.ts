import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_USAGE: { httpStatus: 400, message: "{message}" },
  CLI_NOT_SIGNED_IN: {
    httpStatus: 401,
    message: "You aren't signed in to a hub: there is no {file}.",
    hint: "Run 'fairlead login https://HUB' first.",
    meaning: "There is no configuration file yet.",
  },
  CLI_CONTEXT_UNKNOWN: {
    httpStatus: 401,
    message: "There is no context '{name}' in {file}.",
    hint: "Sign in with 'fairlead login https://HUB', and add --context to give it this name.",
    meaning: "The configuration has no context of the name given with `--context` or `FAIRLEAD_CONTEXT`.",
    remedy: "Sign in, with `--context NAME` if it needs that name.",
  },
  CLI_CONTEXT_OTHER_HUB: {
    httpStatus: 401,
    message: "The context '{name}' is signed in to {actual}, not to {wanted}.",
    hint: "Run 'fairlead login {wanted}' and write the kubeconfig again.",
    meaning: "A kubeconfig names a context that has since signed in to another hub; its token isn't given to this one.",
    remedy: "Sign in to the hub again and write the kubeconfig again.",
  },
  CLI_CONFIG_LOCKED: {
    retryable: true,
    message: "Another fairlead process has locked the configuration: {lock} is there.",
    hint: "Try again; if no other fairlead runs, delete the lock file.",
    meaning: "Another fairlead process holds the configuration file's lock for longer than any needs it.",
    remedy: "Try again; if no other fairlead runs, delete the `.lock` file that the message names.",
  },
  CLI_CONFIG_INVALID: {
    message: "The configuration file {file} can't be used: {why}.",
    hint: "Sign in again with 'fairlead login' to write a new one, or name another with --config.",
    meaning: "The configuration file can't be read or understood; the message names it and says why.",
  },
  CLI_FILE_NOT_READ: {
    message: "The file {file} can't be read{reason}.",
    hint: "Check its path and its permissions.",
    meaning: "A file that was named can't be read, or isn't what it should be.",
  },
  CLI_FILE_NOT_WRITTEN: {
    message: "The file {file} can't be written{reason}.",
    hint: "Check the folder's permissions and the space left; what was there before is unchanged.",
    meaning: "A file can't be written; what was there before is unchanged.",
  },
  CLI_TOKEN_NOT_KEPT: {
    message: "The cluster '{cluster}' has a new join token, but it can't be written to {file}{reason}.",
    hint: "Make another with 'fairlead cluster token create {cluster} --token-out FILE'.",
    meaning: "The hub made a join token, but the file named with `--token-out` can't be written.",
  },
  CLI_TOKEN_MISSING: {
    httpStatus: 400,
    message: "There is no token {where}.",
    hint: "Give it with --token-file FILE, on standard input, or in FAIRLEAD_TOKEN.",
    meaning: "`login` found no token where it was told to look.",
  },
  CLI_LOGOUT_UNTOLD: {
    message: "You are signed out here, but {hub} wasn't told.{why}",
    hint: "The rest of the session there ends by itself; the people who run the hub can end it at once.",
    meaning: "The session was forgotten here, but the hub couldn't be told.",
    remedy: "Nothing to do here. The people who run the hub can end the session there at once.",
  },
  CLI_HUB_UNTRUSTED: {
    message: "The certificate that {origin} presents isn't trusted: {why}.",
    hint: "The hub printed its CA's fingerprint when it first started: sign in again with --ca-fingerprint.",
    meaning:
      "The hub's certificate isn't issued by the pinned CA (or one that the system knows), is made for another name, or isn't valid now.",
    remedy: "Sign in again with `--ca-fingerprint`; check the address and the clock.",
  },
  CLI_FOLDER_NOT_EMPTY: {
    httpStatus: 409,
    message: "There is something in {folder} already, and nothing of it is overwritten.",
    hint: "Name an empty folder, or one that isn't there yet, with --dir.",
    meaning: "`cluster scaffold` writes into an empty folder only, and there is something in the one that was named.",
    remedy: "Name another with `--dir`.",
  },
  CLI_INPUT_MISSING: {
    httpStatus: 400,
    message: "These inputs are missing: {inputs}.",
    hint: "Give each with --set KEY=VALUE.",
    meaning:
      "`cluster scaffold` lacks inputs, and there is no terminal to ask on or the answer was empty; the message names them.",
  },
  CLI_FINGERPRINT_MISMATCH: {
    message: "No certificate that {origin} presents has the fingerprint you gave.",
    hint: "Compare it with what the hub printed when it first started. If it is right, someone may be in between.",
    meaning: "No certificate that the hub presents has the fingerprint given with `--ca-fingerprint`.",
    remedy: "Compare it with what the hub printed. If it is right, someone may be in between: don't go on.",
  },
  CLI_ADDON_NOT_REMOVABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be removed from '{cluster}' here: {why}",
    meaning:
      "`fairlead addon uninstall` names an addon that isn't there, or that something else than Helm keeps installed.",
    remedy: "Do as the message says: remove it by the means that installed it.",
  },
  CLI_ADDON_RELEASE_HIDDEN: {
    httpStatus: 403,
    message: "You may not read Helm's record of the release '{release}' in the namespace '{namespace}' of '{cluster}'.",
    hint: "It is in Secrets there: 'helm get values' needs the same right.",
    meaning: "You may not read the Secrets in which Helm keeps a release.",
    remedy: "Have somebody give you that right in the namespace; `helm get values` needs it, too.",
  },
  CLI_ADDON_UNHEALTHY: {
    message: "The addon '{addon}' of '{cluster}' didn't get healthy: {why}",
    hint: "Mend the cause that the message names, and run the same command again: it goes on from there.",
    meaning: "An addon that Argo CD keeps didn't get healthy in time; the message has the workload and why.",
  },
  CLI_GATEWAY_UNKNOWN: {
    httpStatus: 404,
    message: "The cluster '{cluster}' has no gateway '{gateway}' that claims {key}.",
    hint: "These claim it: {known}.",
    meaning: "`fairlead gateway prefer` names a gateway that doesn't claim this host and port.",
    remedy: "Choose one of those that the message names.",
  },
  CLI_CONFIRMATION_NEEDED: {
    httpStatus: 400,
    message: "To {action} needs a yes, and there is no terminal to ask on.",
    hint: "Add --yes.",
    meaning: "A command that destroys something ran without a terminal to ask on.",
  },
  CLI_DIGEST_NEEDED: {
    httpStatus: 400,
    message: "Nobody can be shown the plan here, so it isn't approved.",
    hint: "Look at it by 'fairlead run get RUN', and add the --digest that it shows.",
    meaning: "`run approve` without `--digest` shows the plan and asks, and there is no terminal to do that on.",
  },
  CLI_APPROVE_TO_PLAN: {
    httpStatus: 409,
    message: "The run has no plan yet: it waits for approval to be planned.",
    hint: "'fairlead run approve RUN --to-plan' shows what was proposed, and asks.",
    meaning: "`run approve` names a proposal that has no plan yet: it waits for approval to be planned.",
  },
  CLI_NOTHING_TO_APPROVE: {
    httpStatus: 409,
    message: "The run doesn't wait for approval: it is {state}.",
    hint: "'fairlead run get RUN' says how far it is.",
  },
  CLI_ROLE_UNKNOWN: {
    httpStatus: 404,
    message: "The hub has no role '{name}'.",
    hint: "'fairlead access role list' lists them.",
    meaning: "`access role get` was asked for a role that the hub doesn't have.",
  },
  CLI_ROLE_MISSING: {
    httpStatus: 403,
    message: "{name} has no role in any cluster, and so can see none.",
    hint: "The people who run the hub give roles, with 'fairlead access binding create'.",
    meaning: "Someone without any role asked for clusters: he can't see any.",
    remedy: "Have a role given with `fairlead access binding create`.",
  },
  CLI_REPLACEMENT_MISSING: {
    httpStatus: 409,
    message: "No other cluster answers as '{cluster}': there is nothing to confirm.",
    hint: "'fairlead cluster get {cluster}' says how it is.",
    meaning: "`cluster confirm` names a cluster under whose name no other cluster answers.",
    remedy: "Nothing to do; `fairlead cluster get` says how it is.",
  },
  CLI_MOVE_WAITS: {
    retryable: true,
    message:
      "'{cluster}' is between argocd-agent and Fairlead, and neither has it. The move waited too long for this: {what}.",
    hint: "Find out why. The same command goes on from there; with --back instead of --apply it moves the cluster back.",
    meaning:
      "`gitops import-argocd-agent` has waited two minutes for one of its steps: an agent's pod that doesn't go, a hub that doesn't exchange the cluster's applications. Neither argocd-agent nor Fairlead has the cluster meanwhile; Argo CD in it goes on.",
  },
  CLI_DELETIONS_NONE: {
    httpStatus: 409,
    message: "No deletions of '{cluster}' wait: there is nothing to confirm.",
    hint: "'fairlead gitops status {cluster}' says how its exchange of applications stands.",
    meaning: "`gitops confirm` finds no deletions of the cluster's applications that wait.",
  },
  CLI_APPLICATION_UNREADY: {
    message: "The application '{name}' isn't ready: it is {state}.",
    hint: "'fairlead argo app get {name}' shows it, and 'fairlead argo app diff {name}' what is out of sync.",
    meaning:
      "`argo app wait` waited for an application that didn't get ready in time, whose sync failed, or which is being deleted; the exit code is 10.",
  },
  CLI_APPLICATION_EXISTS: {
    httpStatus: 409,
    message: "'{cluster}' has an application '{name}' already.",
    hint: "Change it with 'fairlead argo app set', or put another in its place with --upsert.",
    meaning: "An application that `argo app create` is to make is there already. It was left as it is.",
  },
  CLI_CANCELLED: {
    message: "Nothing was changed.",
    meaning: "The question was answered with no.",
    remedy: "Nothing to do: nothing was changed.",
  },
  CLI_ID_UNKNOWN: {
    httpStatus: 404,
    message: "There is no {noun} that you can see whose ID begins with '{beginning}'.",
    hint: "'fairlead {noun} list' lists them. Only the newest {most} are found by the beginning of their ID.",
    meaning: "A run or a rollout was named by the beginning of its ID, and none of the newest 5000 begins so.",
    remedy: "List them, and give the whole ID.",
  },
  CLI_ID_AMBIGUOUS: {
    httpStatus: 409,
    message: "More than one {noun} has an ID that begins with '{beginning}': {ids}.",
    hint: "Give more characters of the ID.",
    meaning:
      "A run or a rollout was named by the beginning of its ID, and more than one begins so; the message lists them.",
  },
  CLI_LAST_MISSING: {
    httpStatus: 404,
    message: "You haven't requested any {noun}.",
    hint: "'fairlead {noun} list' lists those of others.",
    meaning: "`--last` means the newest run or rollout that the caller requested, and there is none.",
  },
  CLI_RUN_UNSUCCESSFUL: {
    message: "{failed} of {all} runs didn't succeed.",
    hint: "'fairlead run get RUN' says why; 'fairlead run retry RUN' asks for the same again.",
    meaning: "One or more runs that were waited for didn't succeed; the exit code is 10.",
  },
  CLI_ROLLOUT_UNSUCCESSFUL: {
    message: "The rollout {id} is {state}: {failed} clusters failed, and {skipped} weren't asked.",
    hint: "'fairlead rollout get ROLLOUT' says why; 'fairlead rollout retry ROLLOUT' asks those again that failed.",
    meaning: "A rollout that was waited for ended otherwise than `succeeded`; the exit code is 10.",
  },
  CLI_STACK_UNSUCCESSFUL: {
    message: "The run of stack '{stack}' ended as {state}.",
    hint: "'fairlead stack get {stack}' shows its resources; applied again, it goes on with what is missing.",
    meaning: "A stack's run that was waited for ended otherwise than `succeeded`; the exit code is 10.",
  },
  CLI_STACK_IDLE: {
    httpStatus: 409,
    message: "No run of stack '{stack}' is under way.",
    hint: "'fairlead stack get {stack}' shows the last one.",
    meaning: "A stack's run was to be cancelled, and none is under way.",
  },
  CLI_KUBECONFIG_INVALID: {
    message: "Contexts can't be merged into the kubeconfig {file}: {why}.",
    hint: "Repair it, or write another file with --output.",
    meaning: "The kubeconfig to merge with isn't YAML or isn't shaped like a kubeconfig.",
  },
  CLI_KUBECONFIG_TAKEN: {
    httpStatus: 409,
    message: "The entry {entry} in {file} belongs to {owner} and stays as it is.",
    hint: "Choose other names with --context-prefix, or delete the entry with 'kubectl config' first.",
    meaning: "A name is taken by an entry that isn't Fairlead's, or is another hub's.",
  },
  CLI_KUBECONFIG_FOREIGN: {
    httpStatus: 409,
    message: "The file {file} holds more than Fairlead's contexts and isn't replaced.",
    hint: "Use --merge {file} to add to it.",
    meaning: "`--output` names a file that holds more than Fairlead's contexts.",
  },
  CLI_KUBECONFIG_LOCKED: {
    retryable: true,
    message: "Another program is writing {file}: {file}.lock is there.",
    hint: "Try again; if no kubectl runs, delete the lock file.",
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
      return ": it isn't there";
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
