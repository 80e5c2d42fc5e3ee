import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";

const table = {
  ENROLL_TOKEN_MALFORMED: {
    httpStatus: 400,
    message: "This isn't a join token.",
    hint: "A join token begins with flj_. See that it was copied whole.",
  },
  /** The same answer for an id that isn't there and for a secret that doesn't fit. */
  ENROLL_TOKEN_UNKNOWN: {
    httpStatus: 401,
    message: "The hub doesn't know this join token.",
    hint: "Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The hub doesn't know the token: wrong id, wrong secret, or its cluster was removed.",
  },
  ENROLL_TOKEN_FOREIGN: {
    httpStatus: 401,
    message: "The join token names another certificate authority than this hub's.",
    hint: "Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    remedy: "Make a new token; the hub's pki folder was replaced, or the token is another hub's.",
  },
  ENROLL_TOKEN_EXPIRED: {
    httpStatus: 401,
    message: "The join token's time is over.",
    hint: "Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The token's time is over (1 h unless told).",
  },
  ENROLL_TOKEN_REVOKED: {
    httpStatus: 401,
    message: "The join token was revoked with its cluster.",
    hint: "Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The token is from before its cluster was revoked.",
  },
  ENROLL_TOKEN_USED: {
    httpStatus: 409,
    message: "The join token was used before, with another key.",
    hint: "If that wasn't you, someone else has the token: revoke the cluster, then make a new token.",
    meaning: "Another key used the token before. The cluster's events hold an alarm.",
  },
  ENROLL_TOKEN_TTL_INVALID: {
    httpStatus: 422,
    message: "A join token lives from one second to seven days.",
    meaning: "A token was asked for with a life of under a second or over seven days.",
    remedy: "Choose one between.",
  },
  ENROLL_ROLES_INVALID: {
    httpStatus: 400,
    message: "An enrollment names at least one role, each once, and only roles that exist.",
    meaning: "An enrollment or a token names no role, one twice, or one that doesn't exist.",
    remedy: "Roles are observe, proxy, execute and gitops.",
  },
  ENROLL_ROLE_NOT_ALLOWED: {
    httpStatus: 403,
    message: "The join token isn't for all the roles that the agent asks for.",
    hint: "Start the agent with the roles that the token was made for, or make a token for these: `fairlead cluster token create {cluster} {roles} --token-out FILE`.",
  },
  ENROLL_BODY_TOO_LARGE: {
    httpStatus: 413,
    message: "The enrollment is larger than 32 KiB.",
    remedy: "An agent's is a tenth of that; look at what sent it.",
  },
  ENROLL_BODY_INVALID: {
    httpStatus: 400,
    message: "The enrollment's body isn't JSON with the members token, csrDer (base64) and roles.",
    remedy: "Use an agent of a version that fits the hub's.",
  },
  ENROLL_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many enrollments are running, or failed from this address within a minute.",
    hint: "Agents try again by themselves. If an address keeps failing, see what it sends.",
  },
  IDENTITY_UNKNOWN: {
    httpStatus: 401,
    message: "This certificate isn't one of the hub's agents'.",
    hint: "The hub's data may be older than the certificate, or the cluster was removed. Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The certificate isn't one that this hub issued to an agent and has on record.",
    remedy: "After a restored backup or a removed cluster: make a new token.",
  },
  IDENTITY_REVOKED: {
    httpStatus: 403,
    message: "The agent's identity was revoked.",
    hint: "Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The agent's cluster was revoked after this identity was issued.",
    remedy: "Make a new token when the cluster is to come back.",
  },
  IDENTITY_UNDECLARED: {
    httpStatus: 403,
    message: "The cluster {cluster} isn't declared at this hub.",
    hint: "Declare it in a file of --declarations: its agents are let in then as they are. Else remove the agent.",
    meaning: "An agent of a cluster that isn't declared at a hub that goes by files, or isn't any more.",
  },
  IDENTITY_ROLE_UNDECLARED: {
    httpStatus: 403,
    message: "The agent's certificate is for roles that {cluster} isn't declared with.",
    hint: "Declare the cluster with these roles, or give the agent a join token for the declared ones alone: `fairlead cluster token create {cluster}`.",
    meaning:
      "An agent's certificate, or a join token that is asked for, is for roles that the cluster isn't declared with.",
  },
  IDENTITY_EXPIRED: {
    httpStatus: 401,
    message: "The agent's certificate has expired.",
    hint: "See that the agent's and the hub's clocks are right. Make a new join token with `fairlead cluster token create` and give it to the agent; nothing is reinstalled.",
    meaning: "The agent's certificate has ended, or it ends by a wrong clock.",
  },
  IDENTITY_NOT_YET_VALID: {
    httpStatus: 401,
    retryable: true,
    message: "The agent's certificate begins {seconds} s in the future of the hub's clock.",
    hint: "The hub's clock is behind the one it had when it issued the certificate. Set it right.",
  },
  IDENTITY_BY_MESH: {
    httpStatus: 403,
    message: "This hub knows its agents by their mesh: nobody enrolls, and no certificates are given out.",
    hint: "Start the agent inside the mesh with --identity mesh and without a join token.",
    meaning:
      "Something asked for a certificate at a hub that knows its agents by their mesh, with a join token or over a link.",
  },
  IDENTITY_RENEWED_TOO_OFTEN: {
    httpStatus: 429,
    retryable: true,
    message: "The cluster's agents renewed more often than one certificate's life warrants.",
    hint: "Look for an agent that can't keep its identity, such as a Secret that it may not write.",
    meaning: "A cluster's agents got a hundred certificates within one certificate's life.",
  },
} as const;

export const identityErrors: Errors<typeof table> = defineErrors(table);

export function roleNotAllowed(options: { readonly cluster: string; readonly wanted: readonly Role[] }): FairleadError {
  const roles = options.wanted.map((role) => `--role ${role}`).join(" ");
  return identityErrors.ENROLL_ROLE_NOT_ALLOWED({ cluster: options.cluster, roles });
}

export function identityNotYetValid(earlyMs: number): FairleadError {
  return identityErrors.IDENTITY_NOT_YET_VALID({ seconds: Math.ceil(earlyMs / 1000) });
}
