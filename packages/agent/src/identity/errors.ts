import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  ENROLL_TOKEN_MISSING: {
    message: "The agent has no identity and no join token.",
    hint: "Run `fairlead cluster add NAME`, or `fairlead cluster token create NAME` for a registered cluster, and pass the token with --token-file or FAIRLEAD_AGENT_TOKEN.",
  },
  ENROLL_TOKEN_MALFORMED: {
    message: "The join token is incomplete or wasn't made by a hub.",
    hint: "Copy the whole token from `fairlead cluster add`: it starts with flj_ and is one line.",
    meaning: "The text sent as a join token doesn't have the format of one.",
    remedy: "Check that the token was copied completely: it starts with `flj_`.",
  },
  ENROLL_TOKEN_UNREADABLE: {
    message: "The token file {path} can't be read.",
    hint: "Check the path, and that this user has permission to read the file.",
    meaning: "The agent's token file can't be read.",
    remedy: "Check its path and permissions.",
  },
  IDENTITY_REJECTED: {
    httpStatus: 401,
    retryable: true,
    message: "The hub no longer accepts this agent's identity: {message}",
    hint: "Create a new join token on the hub (`fairlead cluster token create NAME`) and write it to the token file.",
    meaning: "The hub no longer accepts the agent's identity, and there is no new token yet.",
    remedy: "Write a new join token to the agent's token file. Nothing has to be reinstalled.",
  },
  IDENTITY_ROLES_MISSING: {
    message: "The agent's identity covers {has}, but not {missing}, which its settings also name.",
    hint: "Create a join token for all of them with `fairlead cluster token create {cluster} {all} --token-out FILE` and write it to {tokenPlace}. The agent then enrolls again by itself.",
    meaning:
      "The agent was started with `--roles` that its identity doesn't cover. It runs only the roles that its identity covers.",
  },
  ENROLL_TOKEN_OTHER_CLUSTER: {
    message: 'The join token is for cluster "{other}", but this agent belongs to "{own}".',
    hint: "Create a token for the agent's own cluster. To move the agent to the other cluster, remove its identity first.",
    meaning: "An agent requested more roles with a token for another cluster. It keeps its identity.",
  },
  IDENTITY_CORRUPT: {
    message: "{place} doesn't contain a valid identity of a Fairlead agent.",
    hint: "Remove it and enroll again with a new join token.",
    meaning: "The agent's stored identity isn't valid.",
  },
  IDENTITY_STORE_FAILED: {
    message: "The agent can't read or write its identity in {place} ({code}).",
    hint: "Check permissions and free space. In a cluster, check the agent's Role on Secrets in its namespace.",
    meaning: "The agent can't read or write its identity.",
  },
  IDENTITY_STORE_CONTENDED: {
    retryable: true,
    message: "Another process keeps writing to {place}.",
    hint: "Give each agent Deployment its own namespace or state folder.",
    meaning: "Another process keeps writing to the agent's Secret.",
  },
  ENROLL_ANSWER_INVALID: {
    retryable: true,
    message: "The agent doesn't understand how the hub at {host} answered the enrollment.",
    hint: "Compare the versions of hub and agent: they may be too far apart.",
    meaning: "The agent doesn't understand the hub's answer to an enrollment.",
  },
  ENROLL_ANSWER_FOREIGN: {
    message:
      "The server that answered at {host} isn't the hub that made this token: its answer contains a different CA.",
    hint: "Revoke the token, and find out which proxy or load balancer answered in the hub's place: --ca-file makes it trusted.",
    meaning:
      "With `--ca-file` set, the server that answered the enrollment sent a different CA from the one that the join token names.",
    remedy: "Revoke the token, and find out which proxy or load balancer answered in the hub's place.",
  },
} as const;

export const identityErrors: Errors<typeof table> = defineErrors(table);

export function identityRejected(cause: FairleadError): FairleadError {
  return identityErrors.IDENTITY_REJECTED({ message: cause.message, cause });
}

/** The process was asked to run more than its identity is for. It runs what it may. */
export function rolesMissing(options: {
  readonly cluster: string;
  readonly has: readonly string[];
  readonly wanted: readonly string[];
  readonly tokenPlace: string;
}): FairleadError {
  const { cluster, has, wanted, tokenPlace } = options;
  const missing = wanted.filter((role) => !has.includes(role));
  const all = [...new Set([...has, ...wanted])].map((role) => `--role ${role}`).join(" ");
  return identityErrors.IDENTITY_ROLES_MISSING({
    has: has.join(", "),
    missing: missing.join(", "),
    cluster,
    all,
    tokenPlace,
  });
}

export function tokenForOtherCluster(options: { readonly own: string; readonly other: string }): FairleadError {
  return identityErrors.ENROLL_TOKEN_OTHER_CLUSTER({ other: options.other, own: options.own });
}

export function storeFailed(place: string, cause: unknown): FairleadError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return identityErrors.IDENTITY_STORE_FAILED({
    place,
    code,
    // Folders don't become writable by themselves; API servers and disks recover.
    retryable: !["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"].includes(code),
    cause,
  });
}

export function enrollAnswerInvalid(hub: URL): FairleadError {
  return identityErrors.ENROLL_ANSWER_INVALID({ host: hub.host });
}

export function answerForeign(hub: URL): FairleadError {
  return identityErrors.ENROLL_ANSWER_FOREIGN({ host: hub.host });
}
