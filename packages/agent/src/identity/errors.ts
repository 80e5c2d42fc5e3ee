import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  ENROLL_TOKEN_MISSING: {
    message: "The agent has no identity yet and was given no join token.",
    hint: "Run `fairlead cluster add NAME`, or `fairlead cluster token create NAME` for a registered cluster, and give the token with --token-file or FAIRLEAD_AGENT_TOKEN.",
  },
  ENROLL_TOKEN_MALFORMED: {
    message: "The join token wasn't made by a hub, or it is only a part of one.",
    hint: "It starts with flj_ and is one line; copy it whole from `fairlead cluster add`.",
    meaning: "The agent sent something that isn't shaped like a join token.",
    remedy: "See that it was copied whole; it begins with `flj_`.",
  },
  ENROLL_TOKEN_UNREADABLE: {
    message: "The token file {path} can't be read.",
    hint: "Check the path and that this user may read it.",
    meaning: "The agent's token file can't be read.",
    remedy: "Check its path and permissions.",
  },
  IDENTITY_REJECTED: {
    httpStatus: 401,
    retryable: true,
    message: "The hub doesn't take this agent's identity any more: {message}",
    hint: "Make a new join token on the hub (`fairlead cluster token create NAME`) and put it into the token file.",
    meaning: "The hub no longer takes the agent's identity, and there is no new token yet.",
    remedy: "Put a new join token into the agent's token file; nothing is reinstalled.",
  },
  IDENTITY_ROLES_MISSING: {
    message: "The agent's identity is for {has}, and not for {missing}, which it was asked to run too.",
    hint: "Make a join token for all of them, `fairlead cluster token create {cluster} {all} --token-out FILE`, and put it into {tokenPlace}; the agent enrolls again by itself.",
    meaning: "The agent was started with more `--roles` than its identity is for. It runs those that it has.",
  },
  ENROLL_TOKEN_OTHER_CLUSTER: {
    message: 'The join token is for cluster "{other}", and this is an agent of "{own}".',
    hint: "Make a token for the agent's own cluster. To move the agent to the other one, remove its identity first.",
    meaning: "An agent asked for more roles with a token of another cluster. It keeps its identity.",
  },
  IDENTITY_CORRUPT: {
    message: "{place} holds something that isn't an identity of a Fairlead agent.",
    hint: "Remove it and enroll again with a new join token.",
    meaning: "The agent's stored identity can't be understood.",
  },
  IDENTITY_STORE_FAILED: {
    message: "The agent's identity can't be read from or kept in {place} ({code}).",
    hint: "Check permissions and free space; in a cluster, the agent's Role on Secrets in its namespace.",
    meaning: "The agent can't read or write its identity.",
  },
  IDENTITY_STORE_CONTENDED: {
    retryable: true,
    message: "{place} is written by someone else all the time.",
    hint: "Give every agent Deployment a namespace or a state folder of its own.",
    meaning: "Others keep writing the agent's Secret.",
  },
  ENROLL_ANSWER_INVALID: {
    retryable: true,
    message: "The hub at {host} answered the enrollment with something that isn't understood.",
    hint: "The hub may be much newer or older than the agent; check both versions.",
    meaning: "The hub answered an enrollment with something the agent doesn't understand.",
  },
  ENROLL_ANSWER_FOREIGN: {
    message: "The server that answered at {host} isn't the hub that made this token: the CA in its answer is another.",
    hint: "Something on the way that --ca-file makes trusted answered in the hub's place. Revoke the token and look at it.",
    meaning:
      "With `--ca-file` set, the server that answered the enrollment brought another CA than the join token names.",
    remedy: "Something trusted on the way answered in the hub's place: revoke the token and find it.",
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
