import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";

const table = {
  ENROLL_TOKEN_MALFORMED: {
    httpStatus: 400,
    message: "The join token is malformed.",
    hint: "A join token begins with flj_. Check that you copied all of it.",
  },
  /** The same answer for an id that isn't there and for a secret that doesn't fit. */
  ENROLL_TOKEN_UNKNOWN: {
    httpStatus: 401,
    message: "The join token is unknown to the hub.",
    hint: "Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The join token is unknown to the hub: its ID or secret is wrong, or its cluster was removed.",
  },
  ENROLL_TOKEN_FOREIGN: {
    httpStatus: 401,
    message: "The join token names a different certificate authority than this hub's.",
    hint: "Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    remedy: "Create a new token. The hub's pki folder was replaced, or the token belongs to another hub.",
  },
  ENROLL_TOKEN_EXPIRED: {
    httpStatus: 401,
    message: "The join token has expired.",
    hint: "Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The join token has expired (by default after 1 h).",
  },
  ENROLL_TOKEN_REVOKED: {
    httpStatus: 401,
    message: "The join token was revoked with its cluster.",
    hint: "Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The join token was created before its cluster was revoked.",
  },
  ENROLL_TOKEN_USED: {
    httpStatus: 409,
    message: "The join token was already used with another key.",
    hint: "If you didn't use it, another user has the token: revoke the cluster, then create a new token.",
    meaning: "Another key already used the join token. The cluster's events contain an alarm.",
  },
  ENROLL_TOKEN_TTL_INVALID: {
    httpStatus: 422,
    message: "A join token's lifetime must be between one second and seven days.",
    meaning: "The requested lifetime of a join token is under one second or over seven days.",
    remedy: "Choose a lifetime in this range.",
  },
  ENROLL_ROLES_INVALID: {
    httpStatus: 400,
    message: "An enrollment must name at least one role, each once, and only existing roles.",
    meaning: "An enrollment or a token names no role, one twice, or one that doesn't exist.",
    remedy: "Use the roles observe, proxy, execute and gitops.",
  },
  ENROLL_ROLE_NOT_ALLOWED: {
    httpStatus: 403,
    message: "The join token doesn't allow all the roles that the agent requests.",
    hint: "Start the agent with the token's roles, or create a token for these roles: `fairlead cluster token create {cluster} {roles} --token-out FILE`.",
  },
  ENROLL_BODY_TOO_LARGE: {
    httpStatus: 413,
    message: "The enrollment request is larger than 32 KiB.",
    remedy: "Find out what sent it: an agent's request is a tenth of that size.",
  },
  ENROLL_BODY_INVALID: {
    httpStatus: 400,
    message: "The enrollment request isn't JSON with the members token, csrDer (base64) and roles.",
    remedy: "Use an agent whose version is compatible with the hub's.",
  },
  ENROLL_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many enrollments are in progress, or failed from this address within a minute.",
    hint: "Agents retry automatically. If an address keeps failing, find out what it sends.",
  },
  IDENTITY_UNKNOWN: {
    httpStatus: 401,
    message: "The certificate doesn't belong to an agent of this hub.",
    hint: "The certificate may be newer than the hub's data, or the cluster was removed. Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The hub has no record of issuing this certificate to an agent.",
    remedy: "After a restore or the removal of a cluster, create a new token.",
  },
  IDENTITY_REVOKED: {
    httpStatus: 403,
    message: "The agent's identity was revoked.",
    hint: "Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The agent's cluster was revoked after this identity was issued.",
    remedy: "To reconnect the cluster, create a new token.",
  },
  IDENTITY_UNDECLARED: {
    httpStatus: 403,
    message: "The cluster {cluster} isn't declared at this hub.",
    hint: "Declare the cluster in a file of --declarations, and its agents can connect again without a change. Otherwise, remove the agent.",
    meaning: "The hub is configured by files, and they don't declare the agent's cluster.",
  },
  IDENTITY_ROLE_UNDECLARED: {
    httpStatus: 403,
    message: "The agent's certificate has roles that aren't declared for {cluster}.",
    hint: "Declare the cluster with these roles, or give the agent a join token with only the declared roles: `fairlead cluster token create {cluster}`.",
    meaning: "An agent's certificate, or a requested join token, has roles that aren't declared for the cluster.",
  },
  IDENTITY_EXPIRED: {
    httpStatus: 401,
    message: "The agent's certificate has expired.",
    hint: "Check the agent's and the hub's clocks. Create a new join token with `fairlead cluster token create` and give it to the agent; you don't need to reinstall anything.",
    meaning: "The agent's certificate has expired, or a wrong clock makes it look expired.",
  },
  IDENTITY_NOT_YET_VALID: {
    httpStatus: 401,
    retryable: true,
    message: "The agent's certificate becomes valid in {seconds} s by the hub's clock.",
    hint: "The hub's clock is earlier than when it issued the certificate. Correct the clock.",
  },
  IDENTITY_BY_MESH: {
    httpStatus: 403,
    message: "This hub identifies agents by their service mesh: it doesn't enroll agents or issue certificates.",
    hint: "Start the agent inside the mesh with --identity mesh and without a join token.",
    meaning:
      "A client requested a certificate, with a join token or over a link, from a hub that identifies agents by their service mesh.",
  },
  IDENTITY_RENEWED_TOO_OFTEN: {
    httpStatus: 429,
    retryable: true,
    message: "The cluster's agents renewed certificates too often.",
    hint: "Find the agent that can't store its identity, for example because it can't write its Secret.",
    meaning: "A cluster's agents got 100 certificates within the lifetime of one.",
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
