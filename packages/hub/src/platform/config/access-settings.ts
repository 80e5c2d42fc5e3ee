// How people sign in, and what is kept of what they do.
import { boolean, duration, file, group, list, type SettingTable, size, text } from "@fairlead/kernel/settings";
import { groupPrefix, issuer, usernamePrefix } from "./kinds.ts";

export interface SignInConfig {
  readonly adminTokenOut: string | undefined;
  readonly firstAdminTokenEnds: boolean;
  readonly sessionMaxMs: number;
  readonly accessTokenTtlMs: number;
  readonly absentGroupsMaxAgeMs: number;
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecretFile: string | undefined;
  readonly oidcScopes: readonly string[];
  readonly oidcGroupsClaim: string;
  readonly oidcUsernameClaim: string | undefined;
  readonly oidcAssumeEmailVerified: boolean;
  readonly oidcAllowedGroups: readonly string[] | undefined;
  readonly oidcCaFile: string | undefined;
  readonly groupPrefix: string | undefined;
  readonly usernamePrefix: string | undefined;
}

export const signInSettings: SettingTable<SignInConfig> = group<SignInConfig>("Sign-in", {
  adminTokenOut: {
    kind: file(),
    help: "Write the first admin token to this file (mode 0600) instead of printing it",
    details:
      "An existing file isn't overwritten: the hub then prints the token, unless it is the one in the file. Without effect once somebody has signed in.",
  },
  // For those who want no credential to be left that the provider knows nothing of.
  firstAdminTokenEnds: {
    kind: boolean(),
    fallback: false,
    help: "Revoke the first admin token when a user of the provider is admin",
    details:
      "It ends with its sessions as soon as a user who signed in through the provider has the role `admin` on all clusters ([access.md](access.md#the-admin-token)).",
  },
  sessionMaxMs: {
    name: "sessionMax",
    kind: duration({ from: "1m", to: "30d", example: "12h" }),
    fallback: 43_200_000,
    former: { name: "sessionMaxMs", factor: 1 },
    help: "Time after which a session ends, however often it was refreshed",
    details: "Open streams end with it.",
  },
  accessTokenTtlMs: {
    name: "accessTokenTtl",
    kind: duration({ from: "1m", to: "1d", example: "15m" }),
    fallback: 900_000,
    former: { name: "accessTokenTtlMs", factor: 1 },
    help: "Lifetime of access tokens",
    details: "Clients refresh them by themselves.",
  },
  // Nobody tells the hub when the provider takes somebody out of a group.
  absentGroupsMaxAgeMs: {
    name: "absentGroupsMaxAge",
    kind: duration({ from: "1m", to: "365d", example: "30d" }),
    fallback: 30 * 86_400_000,
    help: "Time after a user's last sign-in for which schedules, rollouts and stacks run in their name",
    details: "Until the next sign-in the hub doesn't learn that the provider removed the user from groups.",
  },
  // Its discovery document is read when it is first needed, so the hub starts without it.
  oidcIssuer: {
    kind: issuer(),
    help: "URL of the OpenID Connect provider, for example https://login.example.com/realms/platform",
    details: "Requires `--oidc-client-id` ([access.md](access.md)).",
  },
  oidcClientId: { kind: text({ placeholder: "ID" }), help: "Client id of the hub at the provider" },
  oidcClientSecretFile: {
    kind: file(),
    help: "File with the hub's client secret",
    details: "Without it the hub is a public client.",
  },
  oidcScopes: {
    kind: list({ expected: "a list of scopes, for example openid,profile,email" }),
    fallback: ["openid", "profile", "email"],
    help: "Scopes to request",
    details: "Many providers require `groups` for groups.",
  },
  oidcGroupsClaim: { kind: text({ placeholder: "CLAIM" }), fallback: "groups", help: "Claim with the user's groups" },
  oidcUsernameClaim: {
    kind: text({ placeholder: "CLAIM" }),
    defaultText: "`email` if it is verified, else `sub`",
    help: "Claim with the user's name",
  },
  // For a provider that verifies all addresses and never says so.
  oidcAssumeEmailVerified: {
    kind: boolean(),
    fallback: false,
    help: "Treat an e-mail address as verified when the provider doesn't say whether it is",
    details: "Only for a provider that verifies all addresses ([access.md](access.md)).",
  },
  oidcAllowedGroups: {
    kind: list({ expected: "a list of groups" }),
    defaultText: "everyone",
    help: "Allow sign-in only for members of these groups",
  },
  oidcCaFile: { kind: file(), help: "Certificates (PEM) to trust for the provider, in addition to the usual ones" },
  groupPrefix: {
    kind: groupPrefix(),
    help: "Pass users' own groups on to clusters, with this prefix",
    details: "Without it only the hub's bindings use them.",
  },
  usernamePrefix: {
    kind: usernamePrefix(),
    help: "Prefix of users' names in clusters",
    details: "It keeps them apart from names that a cluster's RBAC uses otherwise. Robots are always `robot:…`.",
  },
});

export interface AuditConfig {
  readonly auditLog: string | undefined;
  readonly auditRequired: boolean;
  readonly auditRetentionMs: number;
  readonly recordingMaxBytes: number;
  readonly recordingRetentionMs: number;
  readonly recordingInput: boolean;
}

export const auditSettings: SettingTable<AuditConfig> = group<AuditConfig>("Audit and recordings", {
  // The records are in the store in any case; these lines are for whoever collects logs, out of the hub's reach.
  auditLog: {
    kind: file({ words: ["-"] }),
    defaultText: "`-` for a hub that keeps nothing",
    help: "Also append audit records to this file as JSON lines; - for standard output",
    details: "See [audit.md](audit.md).",
  },
  auditRequired: {
    kind: boolean(),
    fallback: true,
    help: "Reject requests that can't be recorded",
    details: "With `--audit-required=false` the hub serves them without a record.",
  },
  auditRetentionMs: {
    name: "auditRetention",
    kind: duration({ from: "1d", to: "3650d", example: "90d" }),
    fallback: 90 * 86_400_000,
    former: { name: "auditRetentionDays", factor: 86_400_000 },
    help: "Retention of audit records",
  },
  recordingMaxBytes: {
    name: "recordingMaxSize",
    kind: size({ from: "64Ki", to: "16Gi", example: "64Mi" }),
    fallback: 64 * 2 ** 20,
    former: { name: "recordingMaxBytes", factor: 1 },
    help: "Size at which a recorded exec or attach session ends",
  },
  recordingRetentionMs: {
    name: "recordingRetention",
    kind: duration({ from: "1d", to: "3650d", example: "30d" }),
    fallback: 30 * 86_400_000,
    former: { name: "recordingRetentionDays", factor: 86_400_000 },
    help: "Retention of recordings",
  },
  recordingInput: {
    kind: boolean(),
    fallback: false,
    help: "Record typed input, too",
    details: "Typed input contains passwords.",
  },
});
