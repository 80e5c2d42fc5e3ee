import { FairleadError } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";

const newTokenHint =
  "Make a new join token with `fairlead cluster token` and give it to the agent; nothing is reinstalled.";

export function tokenMalformed(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_MALFORMED",
    message: "This isn't a join token.",
    hint: "A join token begins with flj_. See that it was copied whole.",
    httpStatus: 400,
  });
}

/** One answer for an id that isn't there and for a secret that doesn't fit. */
export function tokenUnknown(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_UNKNOWN",
    message: "The hub doesn't know this join token.",
    hint: newTokenHint,
    httpStatus: 401,
  });
}

export function tokenForOtherAuthority(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_FOREIGN",
    message: "The join token names another certificate authority than this hub's.",
    hint: newTokenHint,
    httpStatus: 401,
  });
}

export function tokenExpired(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_EXPIRED",
    message: "The join token's time is over.",
    hint: newTokenHint,
    httpStatus: 401,
  });
}

export function tokenRevoked(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_REVOKED",
    message: "The join token was revoked with its cluster.",
    hint: newTokenHint,
    httpStatus: 401,
  });
}

export function tokenUsed(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_USED",
    message: "The join token was used before, with another key.",
    hint: "If that wasn't you, someone else has the token: revoke the cluster, then make a new token.",
    httpStatus: 409,
  });
}

export function tokenTtlInvalid(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOKEN_TTL_INVALID",
    message: "A join token lives from one second to seven days.",
    httpStatus: 422,
  });
}

export function rolesInvalid(): FairleadError {
  return new FairleadError({
    code: "ENROLL_ROLES_INVALID",
    message: "An enrollment names at least one role, each once, and only roles that exist.",
    httpStatus: 400,
  });
}

export function roleNotAllowed(options: { readonly cluster: string; readonly wanted: readonly Role[] }): FairleadError {
  const roles = options.wanted.map((role) => `--role ${role}`).join(" ");
  return new FairleadError({
    code: "ENROLL_ROLE_NOT_ALLOWED",
    message: "The join token isn't for all the roles that the agent asks for.",
    hint: `Start the agent with the roles that the token was made for, or make a token for these: \`fairlead cluster token ${options.cluster} ${roles} --token-out FILE\`.`,
    httpStatus: 403,
  });
}

export function bodyTooLarge(): FairleadError {
  return new FairleadError({
    code: "ENROLL_BODY_TOO_LARGE",
    message: "The enrollment is larger than 32 KiB.",
    httpStatus: 413,
  });
}

export function bodyInvalid(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "ENROLL_BODY_INVALID",
    message: "The enrollment's body isn't JSON with the members token, csrDer (base64) and roles.",
    httpStatus: 400,
    cause,
  });
}

export function tooManyEnrollments(): FairleadError {
  return new FairleadError({
    code: "ENROLL_TOO_MANY",
    message: "Too many enrollments are running, or failed from this address within a minute.",
    hint: "Agents try again by themselves. If an address keeps failing, see what it sends.",
    httpStatus: 429,
    retryable: true,
  });
}

export function identityUnknown(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "IDENTITY_UNKNOWN",
    message: "This certificate isn't one of the hub's agents'.",
    hint: `The hub's data may be older than the certificate, or the cluster was removed. ${newTokenHint}`,
    httpStatus: 401,
    cause,
  });
}

export function identityRevoked(): FairleadError {
  return new FairleadError({
    code: "IDENTITY_REVOKED",
    message: "The agent's identity was revoked.",
    hint: newTokenHint,
    httpStatus: 403,
  });
}

export function identityExpired(): FairleadError {
  return new FairleadError({
    code: "IDENTITY_EXPIRED",
    message: "The agent's certificate has expired.",
    hint: `See that the agent's and the hub's clocks are right. ${newTokenHint}`,
    httpStatus: 401,
  });
}

export function identityNotYetValid(earlyMs: number): FairleadError {
  return new FairleadError({
    code: "IDENTITY_NOT_YET_VALID",
    message: `The agent's certificate begins ${Math.ceil(earlyMs / 1000)} s in the future of the hub's clock.`,
    hint: "The hub's clock is behind the one it had when it issued the certificate. Set it right.",
    httpStatus: 401,
    retryable: true,
  });
}

export function renewedTooOften(): FairleadError {
  return new FairleadError({
    code: "IDENTITY_RENEWED_TOO_OFTEN",
    message: "The cluster's agents renewed more often than one certificate's life warrants.",
    hint: "Look for an agent that can't keep its identity, such as a Secret that it may not write.",
    httpStatus: 429,
    retryable: true,
  });
}
