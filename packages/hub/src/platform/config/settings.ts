// Every setting of the hub, once: flag, environment variable, key of the YAML file, default and help are made from it.
import { homedir } from "node:os";
import { join } from "node:path";
import { argoSettings } from "./argo-settings.ts";
import {
  address,
  addresses,
  agentUrl,
  databaseUrl,
  day,
  groupPrefix,
  headerName,
  identityPattern,
  issuer,
  level,
  mib,
  minute,
  nonEmpty,
  positive,
  rate,
  roleList,
  span,
  subject,
  toggle,
  trust,
  url,
  usernamePrefix,
  whole,
  words,
} from "./kinds.ts";
import { row, type Setting } from "./setting.ts";

export const settings: readonly Setting[] = [
  // Holds the database and the hub's certificate authority; one hub at a time.
  row(
    "dataDir",
    "FOLDER",
    "where the hub keeps its state",
    nonEmpty(),
    join(userFolder(), ".local", "share", "fairlead-hub"),
  ),
  // For trying things out: a folder for temporary files that is removed in the end.
  row("inMemory", undefined, "keep no state after the hub has ended", toggle(), false),
  // Read again every few seconds. With --in-memory it is all that a hub has after a restart, beside its authority.
  row(
    "declarations",
    "FOLDER",
    "YAML files that declare clusters, rights and limits",
    nonEmpty().optional(),
    undefined,
  ),
  // The first is preferred; the others read data of their versions. Unset: PATH and the npm package are looked through.
  row("postgresBinDir", "LIST", "folders with PostgreSQL's programs", words().optional(), undefined),
  // For data folders with long names, and on volumes that can't hold sockets.
  row("postgresSocketDir", "FOLDER", "where the database's socket may be", nonEmpty().optional(), undefined),
  // A PostgreSQL of one's own, 15 to 18, instead of one that the hub runs. A password in a flag is in the process list.
  row("databaseUrl", "URL", "keep the hub's data in this database: postgres://…", databaseUrl().optional(), undefined),
  // Read again for each connection, so that the password may change.
  row("databaseUrlFile", "FILE", "file that holds the database's URL", nonEmpty().optional(), undefined),
  row("databaseCaFile", "FILE", "certificates (PEM) to trust for the database", nonEmpty().optional(), undefined),
  // Less than half of them are for what people ask, so that they can't take the last ones from the hub's own work.
  row("databaseConnections", "N", "connections that the hub may have to the database", whole(10, 1_000), 16),
  // LISTEN needs the server itself, where the database's URL leads to PgBouncer or its like.
  row(
    "busListenUrl",
    "URL",
    "listen for other hubs' hints here: postgres://… of the same database",
    databaseUrl().optional(),
    undefined,
  ),
  row("busListenUrlFile", "FILE", "file that holds that URL", nonEmpty().optional(), undefined),
  // Makes this hub one of several on one database. The port may be 0: that of --agent-listen.
  row(
    "hubAddress",
    "HOST:PORT",
    "where the other hubs of the same database reach this one's agent listener",
    address().optional(),
    undefined,
  ),
  // For hints alone: without it they go through the database.
  row("busNatsUrl", "LIST", "NATS servers for hints between hubs: tls://HOST:PORT", words().optional(), undefined),
  row("busNatsCaFile", "FILE", "certificates (PEM) to trust for NATS", nonEmpty().optional(), undefined),
  row("busNatsCertFile", "FILE", "the hub's certificate (PEM) at NATS", nonEmpty().optional(), undefined),
  row("busNatsKeyFile", "FILE", "its private key (PEM)", nonEmpty().optional(), undefined),
  // Only ever a file: flags are in the process list.
  row(
    "busNatsCredentialsFile",
    "FILE",
    "a .creds file of NATS, or one line USER:PASSWORD",
    nonEmpty().optional(),
    undefined,
  ),
  // Several sets of hubs may share a NATS.
  row("busNatsSubjectPrefix", "NAME", "what the subjects at NATS begin with", subject(), "fairlead"),
  // It has no effect once somebody has signed in, and an existing file isn't touched.
  row(
    "adminTokenOut",
    "FILE",
    "write the first admin token here instead of showing it",
    nonEmpty().optional(),
    undefined,
  ),
  // People, kubectl and the CLI come here; server TLS only.
  row("listen", "HOST:PORT", "address for people and tools", address(), "127.0.0.1:8443"),
  // Agents come here; TLS with client certificates.
  row("agentListen", "HOST:PORT", "address for agents", address(), "127.0.0.1:8444"),
  // Goes into kubeconfigs and certificates; made from --listen unless set.
  row("publicUrl", "URL", "how people reach the hub from outside", url().optional(), undefined),
  // Goes into join commands and certificates; made from --agent-listen unless set.
  row("agentPublicUrl", "URL", "how agents reach the hub from outside", agentUrl().optional(), undefined),
  // Part of every agent's identity: changing it means that all agents enroll again.
  row("trustDomain", "NAME", "domain of the agents' SPIFFE identities", nonEmpty(), "fairlead.local"),
  // Instead of a certificate of the hub's own authority, for people's listener only; read again when it changes.
  row("tlsCertFile", "FILE", "certificate chain (PEM) for people's listener", nonEmpty().optional(), undefined),
  row("tlsKeyFile", "FILE", "its private key (PEM)", nonEmpty().optional(), undefined),
  // Instead of an authority that the hub makes, for one that keeps nothing. Read at the start.
  row("caCertFile", "FILE", "the hub's own authority (PEM), with --in-memory", nonEmpty().optional(), undefined),
  row("caKeyFile", "FILE", "its private key (PEM)", nonEmpty().optional(), undefined),
  // Agents renew under it, while both are trusted.
  row("nextCaCertFile", "FILE", "the authority that follows that one (PEM)", nonEmpty().optional(), undefined),
  row("nextCaKeyFile", "FILE", "its private key (PEM)", nonEmpty().optional(), undefined),
  // For the private keys of the hub's own authority. The data folder alone isn't enough to sign then.
  row(
    "keyEncryptionKeyFile",
    "FILE",
    "encrypt the authority's key on disk by this key: 32 bytes, base64 or hex",
    nonEmpty().optional(),
    undefined,
  ),
  // The authority's key is encrypted anew at the start.
  row(
    "previousKeyEncryptionKeyFile",
    "FILE",
    "the key encryption key until now, when it changes",
    nonEmpty().optional(),
    undefined,
  ),
  row("logLevel", "LEVEL", "trace, debug, info, warn, error or silent", level(), "info"),
  // How long requests in flight may go on after SIGTERM.
  row("drainMs", "MS", "milliseconds that a stopping hub waits for requests", whole(0, 3_600_000), 10_000),
  // The API server's own limit is 60 s; this one is only for those that hang.
  row("headDeadlineMs", "MS", "milliseconds until a cluster's answer must begin", whole(1_000, 3_600_000), 75_000),
  // Bounds what agents may send ahead, over all links together.
  row(
    "linkCreditBytes",
    "BYTES",
    "memory for data on its way, of the whole hub",
    whole(16 * mib(), 64 * 1024 * mib()),
    512 * mib(),
  ),
  // A challenge lets an agent prove its key where a load balancer ends TLS and its certificate doesn't arrive.
  row("agentTrust", "KIND", "mtls, or challenge: also agents behind what ends TLS", trust(), "mtls"),
  // A mesh vouches for agents instead of the hub's own certificates: no other way in is left on the agents' listener.
  row(
    "meshIdentityHeader",
    "NAME",
    "take agents' identities from this header of a mesh, and in no other way",
    headerName().optional(),
    undefined,
  ),
  row(
    "meshIdentityPattern",
    "REGEX",
    "what the whole identity must match; its group cluster names the cluster, a group role the role",
    identityPattern().optional(),
    undefined,
  ),
  // By the connection's own address, whatever X-Forwarded-For says.
  row("meshIdentityPeers", "LIST", "addresses and CIDRs that the mesh's connections come from", addresses(), []),
  row(
    "meshIdentityRoles",
    "LIST",
    "roles that the mesh may give; else all that a cluster is for",
    roleList().optional(),
    undefined,
  ),
  // A sidecar has ended TLS by then.
  row("meshIdentityPlaintext", undefined, "let the mesh connect without TLS", toggle(), false),
  // Only they may say in X-Forwarded-For for whom they speak.
  row("trustedProxies", "LIST", "addresses and CIDRs of load balancers before the hub", addresses(), []),
  // For a restart without a gap: the next hub is started with it, and then the old one is asked to stop. A database of
  // one's own that is away at the start is waited for, too.
  row("waitForStoreMs", "MS", "milliseconds to wait for another hub to let go of the data", whole(0, 86_400_000), 0),
  // To each listener. An address that was named as a trusted proxy isn't counted.
  row("connectionsPerAddress", "N", "connections that one address may hold; 0: any number", whole(0, 1_000_000), 8_192),
  // Before the first request in someone's name, or without an agent's certificate. The oldest goes when there are more.
  row("unknownConnectionsPerAddress", "N", "of these, connections of nobody known yet", whole(1, 1_000_000), 64),
  row("unknownConnections", "N", "connections of nobody known yet, from all addresses", whole(1, 1_000_000), 1_024),
  // Agents renew from half of it on, so it is also how long one may be cut off before it needs a new token.
  row("certificateTtlMs", "MS", "milliseconds that an agent's certificate lives", whole(minute(), 30 * day()), day()),
  // However often it is refreshed; streams that are open end with it.
  row("sessionMaxMs", "MS", "milliseconds until a sign-in ends", whole(minute(), 30 * day()), day() / 2),
  // Nobody tells the hub when the provider takes somebody out of a group.
  row("absentGroupsMaxAge", "TIME", "act for absent users this long after sign-in", span(minute(), 365 * day()), "30d"),
  row("accessTokenTtlMs", "MS", "milliseconds that an access token lives", whole(minute(), day()), 15 * minute()),
  // Its discovery document is read when it is first needed, so the hub starts without it.
  row("oidcIssuer", "URL", "OpenID Connect provider to sign in with", issuer().optional(), undefined),
  row("oidcClientId", "ID", "the hub's name at the provider", nonEmpty().optional(), undefined),
  // Only ever a file: flags are in the process list.
  row(
    "oidcClientSecretFile",
    "FILE",
    "the hub's secret at the provider; none: public client",
    nonEmpty().optional(),
    undefined,
  ),
  row("oidcScopes", "LIST", "scopes to ask for", words(), ["openid", "profile", "email"]),
  row("oidcGroupsClaim", "CLAIM", "the claim with a user's groups", nonEmpty(), "groups"),
  row(
    "oidcUsernameClaim",
    "CLAIM",
    "the claim that names a user; else e-mail, else subject",
    nonEmpty().optional(),
    undefined,
  ),
  // For a provider that verifies all addresses and never says so.
  row(
    "oidcAssumeEmailVerified",
    undefined,
    "take e-mail addresses for verified unless told otherwise",
    toggle(),
    false,
  ),
  row("oidcAllowedGroups", "LIST", "only people in one of these may sign in", words().optional(), undefined),
  row("oidcCaFile", "FILE", "certificates (PEM) to trust for the provider, too", nonEmpty().optional(), undefined),
  // For those who want no credential to be left that the provider knows nothing of.
  row(
    "firstAdminTokenEnds",
    undefined,
    "end the first admin token when somebody is admin by the provider",
    toggle(),
    false,
  ),
  // Without it a user's own groups mean something to the hub's bindings only.
  row("groupPrefix", "PREFIX", "pass users' groups on to clusters behind this", groupPrefix().optional(), undefined),
  row(
    "usernamePrefix",
    "PREFIX",
    "call users so in clusters, before their names",
    usernamePrefix().optional(),
    undefined,
  ),
  // The records are in the store in any case; these lines are for whoever collects logs, out of the hub's reach.
  row(
    "auditLog",
    "FILE",
    "append audit records to it as JSON lines, too; - is standard output",
    nonEmpty().optional(),
    undefined,
  ),
  row("auditRequired", undefined, "refuse what can't be recorded", toggle(), true),
  row("auditRetentionDays", "DAYS", "days that audit records are kept", whole(1, 3_650), 90),
  // Only sessions under a binding that asks for it are recorded.
  row(
    "recordingMaxBytes",
    "BYTES",
    "size at which a recorded session is ended",
    whole(64 * 1024, 16 * 1024 * mib()),
    64 * mib(),
  ),
  row("recordingRetentionDays", "DAYS", "days that recordings are kept", whole(1, 3_650), 30),
  // Typed text has passwords in it.
  row("recordingInput", undefined, "record what is typed, too", toggle(), false),
  // High enough for one busy controller; they bound what goes wrong.
  row("limitUserRequests", "N", "requests that a user may have in flight", positive(), 1_000),
  row("limitUserStreams", "N", "watches, followed logs and upgrades that a user may have open", positive(), 500),
  row("limitUserBytesPerSecond", "BYTES", "bytes a second of a user, both ways; 0 is as fast as it goes", rate(), 0),
  row("limitClusterRequests", "N", "requests that a cluster may have in flight", positive(), 2_000),
  row("limitClusterStreams", "N", "watches, followed logs and upgrades of a cluster", positive(), 2_000),
  row(
    "limitClusterBytesPerSecond",
    "BYTES",
    "bytes a second of a cluster, both ways; 0 is as fast as it goes",
    rate(),
    0,
  ),
  // From half of it on, no cluster gets more than its share.
  row("limitHubRequests", "N", "requests and streams of all clusters together", positive(), 50_000),
  // An agent observes some fifty unless it is told to; with all of a large operator's CRDs it is several hundreds.
  row("inventoryClusterMaxKinds", "N", "kinds of a cluster that the hub keeps", positive(), 1_024),
  // Objects that were deleted in the last day count, and make room when there is none.
  row("inventoryClusterMaxObjects", "N", "objects of a cluster that the hub keeps", whole(1, 100_000_000), 500_000),
  row(
    "inventoryClusterMaxBytes",
    "BYTES",
    "disk for the copy of a cluster",
    whole(mib(), 1024 * 1024 * mib()),
    2 * 1024 * mib(),
  ),
  ...argoSettings,
  // Each may cost the database a good part of a second, and it is one for all.
  row("limitUserApiRequests", "N", "requests to the hub's own API that a user may have in flight", positive(), 16),
  // Many people may sign in from behind one address at once.
  row("limitAddressApiRequests", "N", "requests without a sign-in that an address may have in flight", positive(), 64),
];

/** A container's user may be one that the system has no record of. */
function userFolder(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}
