import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_USAGE: { httpStatus: 400, message: "{message}" },
  CLI_NOT_SIGNED_IN: {
    httpStatus: 401,
    message: "You aren't signed in to a hub: there is no {file}.",
    hint: "Run 'fairlead login https://HUB' first.",
  },
  CLI_PROFILE_UNKNOWN: {
    httpStatus: 401,
    message: "There is no context '{name}' in {file}.",
    hint: "Sign in with 'fairlead login https://HUB', and add --context to give it this name.",
  },
  CLI_PROFILE_OTHER_HUB: {
    httpStatus: 401,
    message: "The context '{name}' is signed in to {actual}, not to {wanted}.",
    hint: "Run 'fairlead login {wanted}' and write the kubeconfig again.",
  },
  CLI_CONFIG_LOCKED: {
    retryable: true,
    message: "Another fairlead process has locked the configuration: {lock} is there.",
    hint: "Try again; if no other fairlead runs, delete the lock file.",
  },
  CLI_CONFIG_INVALID: {
    message: "The configuration file {file} can't be used: {why}.",
    hint: "Sign in again with 'fairlead login' to write a new one, or name another with --config.",
  },
  CLI_FILE_NOT_READ: { message: "The file {file} can't be read{reason}.", hint: "Check its path and its permissions." },
  CLI_FILE_NOT_WRITTEN: {
    message: "The file {file} can't be written{reason}.",
    hint: "Check the folder's permissions and the space left; what was there before is unchanged.",
  },
  CLI_TOKEN_NOT_KEPT: {
    message: "The cluster '{cluster}' has a new join token, but it can't be written to {file}{reason}.",
    hint: "Make another with 'fairlead cluster token create {cluster} --token-out FILE'.",
  },
  CLI_TOKEN_MISSING: {
    httpStatus: 400,
    message: "There is no token {where}.",
    hint: "Give it with --token-file FILE, on standard input, or in FAIRLEAD_TOKEN.",
  },
  CLI_LOGOUT_UNTOLD: {
    message: "You are signed out here, but {hub} wasn't told.{why}",
    hint: "The rest of the session there ends by itself; the people who run the hub can end it at once.",
  },
  CLI_HUB_UNTRUSTED: {
    message: "The certificate that {origin} presents isn't trusted: {why}.",
    hint: "The hub printed its CA's fingerprint when it first started: sign in again with --ca-fingerprint.",
  },
  CLI_FOLDER_NOT_EMPTY: {
    httpStatus: 409,
    message: "There is something in {folder} already, and nothing of it is overwritten.",
    hint: "Name an empty folder, or one that isn't there yet, with --dir.",
  },
  CLI_INPUT_MISSING: {
    httpStatus: 400,
    message: "These inputs are missing: {inputs}.",
    hint: "Give each with --set KEY=VALUE.",
  },
  CLI_FINGERPRINT_MISMATCH: {
    message: "No certificate that {origin} presents has the fingerprint you gave.",
    hint: "Compare it with what the hub printed when it first started. If it is right, someone may be in between.",
  },
  CLI_ADDON_NOT_REMOVABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be removed from '{cluster}' here: {why}",
  },
  CLI_ADDON_RELEASE_HIDDEN: {
    httpStatus: 403,
    message: "You may not read Helm's record of the release '{release}' in the namespace '{namespace}' of '{cluster}'.",
    hint: "It is in Secrets there: 'helm get values' needs the same right.",
  },
  CLI_ADDON_UNHEALTHY: {
    message: "The addon '{addon}' of '{cluster}' didn't get healthy: {why}",
    hint: "Mend the cause that the message names, and run the same command again: it goes on from there.",
  },
  CLI_GATEWAY_UNKNOWN: {
    httpStatus: 404,
    message: "The cluster '{cluster}' has no gateway '{gateway}' that claims {key}.",
    hint: "These claim it: {known}.",
  },
  CLI_CONFIRMATION_NEEDED: {
    httpStatus: 400,
    message: "To {action} needs a yes, and there is no terminal to ask on.",
    hint: "Add --yes.",
  },
  CLI_DIGEST_NEEDED: {
    httpStatus: 400,
    message: "Nobody can be shown the plan here, so it isn't approved.",
    hint: "Look at it by 'fairlead run get RUN', and add the --digest that it shows.",
  },
  CLI_APPROVE_TO_PLAN: {
    httpStatus: 409,
    message: "The run has no plan yet: it waits for approval to be planned.",
    hint: "'fairlead run approve RUN --to-plan' shows what was proposed, and asks.",
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
  },
  CLI_ROLE_MISSING: {
    httpStatus: 403,
    message: "{name} has no role in any cluster, and so can see none.",
    hint: "The people who run the hub give roles, with 'fairlead access binding create'.",
  },
  CLI_REPLACEMENT_MISSING: {
    httpStatus: 409,
    message: "No other cluster answers as '{cluster}': there is nothing to confirm.",
    hint: "'fairlead cluster get {cluster}' says how it is.",
  },
  CLI_MOVE_WAITS: {
    retryable: true,
    message:
      "'{cluster}' is between argocd-agent and Fairlead, and neither has it. The move waited too long for this: {what}.",
    hint: "Find out why. The same command goes on from there; with --back instead of --apply it moves the cluster back.",
  },
  CLI_DELETIONS_NONE: {
    httpStatus: 409,
    message: "No deletions of '{cluster}' wait: there is nothing to confirm.",
    hint: "'fairlead gitops status {cluster}' says how its exchange of applications stands.",
  },
  CLI_APPLICATION_EXISTS: {
    httpStatus: 409,
    message: "'{cluster}' has an application '{name}' already.",
    hint: "Change it with 'fairlead argo app set', or put another in its place with --upsert.",
  },
  CLI_CANCELLED: { message: "Nothing was changed." },
  CLI_RUN_UNSUCCESSFUL: {
    message: "{failed} of {all} runs didn't succeed.",
    hint: "'fairlead run get RUN' says why; 'fairlead run retry RUN' asks for the same again.",
  },
  CLI_ROLLOUT_UNSUCCESSFUL: {
    message: "The rollout {id} is {state}: {failed} clusters failed, and {skipped} weren't asked.",
    hint: "'fairlead rollout get ROLLOUT' says why; 'fairlead rollout retry ROLLOUT' asks those again that failed.",
  },
  CLI_STACK_UNSUCCESSFUL: {
    message: "The run of stack '{stack}' ended as {state}.",
    hint: "'fairlead stack get {stack}' shows its resources; applied again, it goes on with what is missing.",
  },
  CLI_STACK_IDLE: {
    httpStatus: 409,
    message: "No run of stack '{stack}' is under way.",
    hint: "'fairlead stack get {stack}' shows the last one.",
  },
  CLI_KUBECONFIG_INVALID: {
    message: "Contexts can't be merged into the kubeconfig {file}: {why}.",
    hint: "Repair it, or write another file with --output.",
  },
  CLI_KUBECONFIG_TAKEN: {
    httpStatus: 409,
    message: "The entry {entry} in {file} belongs to {owner} and stays as it is.",
    hint: "Choose other names with --context-prefix, or delete the entry with 'kubectl config' first.",
  },
  CLI_KUBECONFIG_FOREIGN: {
    httpStatus: 409,
    message: "The file {file} holds more than Fairlead's contexts and isn't replaced.",
    hint: "Use --merge {file} to add to it.",
  },
  CLI_KUBECONFIG_LOCKED: {
    retryable: true,
    message: "Another program is writing {file}: {file}.lock is there.",
    hint: "Try again; if no kubectl runs, delete the lock file.",
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
