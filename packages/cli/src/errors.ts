import { FairleadError } from "@fairlead/kernel";

export function usage(message: string, hint?: string): FairleadError {
  return new FairleadError({ code: "CLI_USAGE", message, hint, httpStatus: 400 });
}

export function notSignedIn(file: string): FairleadError {
  return new FairleadError({
    code: "CLI_NOT_SIGNED_IN",
    message: `You aren't signed in to a hub: there is no ${file}.`,
    hint: "Run 'fairlead login https://HUB' first.",
    httpStatus: 401,
  });
}

export function profileUnknown(name: string, file: string): FairleadError {
  return new FairleadError({
    code: "CLI_PROFILE_UNKNOWN",
    message: `There is no profile '${name}' in ${file}.`,
    hint: "Sign in with 'fairlead login https://HUB', and name the profile there with --profile if it needs that name.",
    httpStatus: 401,
  });
}

export function profileOfOtherHub(name: string, actual: string, wanted: string): FairleadError {
  return new FairleadError({
    code: "CLI_PROFILE_OTHER_HUB",
    message: `The profile '${name}' is signed in to ${actual}, not to ${wanted}.`,
    hint: `Run 'fairlead login ${wanted}' and write the kubeconfig again.`,
    httpStatus: 401,
  });
}

export function configLocked(lock: string): FairleadError {
  return new FairleadError({
    code: "CLI_CONFIG_LOCKED",
    message: `Another fairlead process keeps the configuration to itself: ${lock} is there.`,
    hint: "Try again; if no other fairlead runs, delete the lock file.",
    retryable: true,
  });
}

export function configInvalid(file: string, why: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_CONFIG_INVALID",
    message: `The configuration file ${file} can't be used: ${why}.`,
    hint: "Sign in again with 'fairlead login' to write a new one, or name another with --config.",
    cause,
  });
}

export function fileNotRead(file: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_FILE_NOT_READ",
    message: `The file ${file} can't be read${reason(cause)}.`,
    hint: "Check its path and its permissions.",
    cause,
  });
}

export function fileNotWritten(file: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_FILE_NOT_WRITTEN",
    message: `The file ${file} can't be written${reason(cause)}.`,
    hint: "Check the folder's permissions and the space left; what was there before is unchanged.",
    cause,
  });
}

export function tokenNotKept(file: string, cluster: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_TOKEN_NOT_KEPT",
    message: `The cluster '${cluster}' has a new join token, but it can't be written to ${file}${reason(cause)}.`,
    hint: `Make another with 'fairlead cluster token ${cluster} --token-out FILE'.`,
    cause,
  });
}

export function tokenMissing(where: string): FairleadError {
  return new FairleadError({
    code: "CLI_TOKEN_MISSING",
    message: `There is no token ${where}.`,
    hint: "Give it with --token-file FILE, on standard input, or in FAIRLEAD_TOKEN.",
    httpStatus: 400,
  });
}

export function logoutUntold(hub: string, cause: unknown): FairleadError {
  const why = cause instanceof Error ? ` ${cause.message}` : "";
  return new FairleadError({
    code: "CLI_LOGOUT_UNTOLD",
    message: `You are signed out here, but ${hub} wasn't told.${why}`,
    hint: "What is left of the session there ends by itself; who runs the hub can end it at once.",
    cause,
  });
}

export function hubUntrusted(origin: string, why: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_HUB_UNTRUSTED",
    message: `The certificate that ${origin} presents isn't trusted: ${why}.`,
    hint: "The hub printed its CA's fingerprint when it first started: sign in again with --ca-fingerprint.",
    cause,
  });
}

export function fingerprintMismatch(origin: string): FairleadError {
  return new FairleadError({
    code: "CLI_FINGERPRINT_MISMATCH",
    message: `No certificate that ${origin} presents has the fingerprint you gave.`,
    hint: "Compare it with what the hub printed when it first started. If it is right, someone may be in between.",
  });
}

export function confirmationNeeded(action: string): FairleadError {
  return new FairleadError({
    code: "CLI_CONFIRMATION_NEEDED",
    message: `To ${action} needs a yes, and there is no terminal to ask on.`,
    hint: "Add --yes.",
    httpStatus: 400,
  });
}

export function roleUnknown(name: string): FairleadError {
  return new FairleadError({
    code: "CLI_ROLE_UNKNOWN",
    message: `The hub has no role '${name}'.`,
    hint: "'fairlead access roles' lists them.",
    httpStatus: 404,
  });
}

export function replacementMissing(cluster: string): FairleadError {
  return new FairleadError({
    code: "CLI_REPLACEMENT_MISSING",
    message: `No other cluster answers as '${cluster}': there is nothing to confirm.`,
    hint: `'fairlead cluster show ${cluster}' says how it is.`,
    httpStatus: 409,
  });
}

export function cancelled(): FairleadError {
  return new FairleadError({ code: "CLI_CANCELLED", message: "Nothing was changed." });
}

export function kubeconfigInvalid(file: string, why: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_KUBECONFIG_INVALID",
    message: `The kubeconfig ${file} can't be merged with: ${why}.`,
    hint: "Repair it, or write another file with --output.",
    cause,
  });
}

export function kubeconfigEntryTaken(file: string, entry: string, owner: string): FairleadError {
  return new FairleadError({
    code: "CLI_KUBECONFIG_TAKEN",
    message: `The entry ${entry} in ${file} belongs to ${owner} and stays as it is.`,
    hint: "Choose other names with --context-prefix, or delete the entry with 'kubectl config' first.",
    httpStatus: 409,
  });
}

export function kubeconfigForeign(file: string): FairleadError {
  return new FairleadError({
    code: "CLI_KUBECONFIG_FOREIGN",
    message: `The file ${file} holds more than Fairlead's contexts and isn't replaced.`,
    hint: `Use --merge ${file} to add to it.`,
    httpStatus: 409,
  });
}

export function kubeconfigLocked(file: string): FairleadError {
  return new FairleadError({
    code: "CLI_KUBECONFIG_LOCKED",
    message: `Another program is writing ${file}: ${file}.lock is there.`,
    hint: "Try again; if no kubectl runs, delete the lock file.",
    retryable: true,
  });
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
