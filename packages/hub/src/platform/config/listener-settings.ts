// How people and agents reach the hub, and by which certificates.
import {
  address,
  boolean,
  choice,
  choices,
  duration,
  file,
  group,
  type SettingTable,
  text,
  whole,
} from "@fairlead/kernel/settings";
import { type Role, roles } from "@fairlead/protocol";
import { identityPattern } from "./identity-pattern.ts";
import { addresses, agentUrl, domain, headerName, url } from "./kinds.ts";

export interface ListenerConfig {
  readonly listen: string;
  readonly agentListen: string;
  readonly publicUrl: string | undefined;
  readonly agentPublicUrl: string | undefined;
  readonly clusterDomain: string | undefined;
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly connectionsPerAddress: number;
  readonly unknownConnectionsPerAddress: number;
  readonly unknownConnections: number;
}

export const listenerSettings: SettingTable<ListenerConfig> = group<ListenerConfig>("Listeners", {
  // Server TLS only.
  listen: {
    kind: address({ toListen: true, example: "127.0.0.1:8443" }),
    fallback: "127.0.0.1:8443",
    help: "Address for people and tools",
    details: "Port 0 takes any free port.",
  },
  agentListen: {
    kind: address({ toListen: true, example: "127.0.0.1:8444" }),
    fallback: "127.0.0.1:8444",
    help: "Address for agents",
    details: "Their TLS must reach the hub unbroken.",
  },
  publicUrl: {
    kind: url(),
    defaultText: "the address of `--listen`",
    help: "URL at which people reach the hub, for example https://hub.example.com",
    details: "It is part of kubeconfigs, and its host is in the hub's certificate.",
  },
  agentPublicUrl: {
    kind: agentUrl(),
    defaultText: "the public URL's host, the agent port",
    help: "URL at which agents reach the hub, for example https://hub.example.com:8444",
    details: "It is part of join commands, and its host is in the hub's certificate.",
  },
  clusterDomain: {
    kind: domain(),
    help: "Domain whose subdomains reach clusters, for example k8s.hub.example.com for east.k8s.hub.example.com",
    details:
      "For clients that drop the path of a server's address, such as `kubectl proxy` ([cli.md](cli.md#fairlead-kubeconfig-name)). Needs a wildcard DNS record, and a certificate for `*.DOMAIN`: the hub's own has it.",
  },
  // For the people listener only; read again when it changes.
  tlsCertFile: {
    kind: file(),
    defaultText: "from the hub's own authority",
    help: "Certificate chain (PEM) of the listener for people",
  },
  tlsKeyFile: { kind: file(), help: "Private key (PEM) of that certificate" },
  trustedProxies: {
    kind: addresses(),
    fallback: [],
    help: "Addresses and CIDR ranges of load balancers whose X-Forwarded-For the hub trusts",
    details: "The address in it is used for logs, audit records and limits.",
  },
  connectionsPerAddress: {
    kind: whole({ from: 0, to: 1_000_000 }),
    fallback: 8_192,
    help: "Maximum number of connections per listener from one address; 0 for no limit",
    details: "At most 512 of them can be in their handshake. Connections of trusted proxies don't count.",
  },
  // Before the first request in someone's name, or without an agent's certificate.
  unknownConnectionsPerAddress: {
    kind: whole({ from: 1, to: 1_000_000 }),
    fallback: 64,
    help: "Maximum number of unauthenticated connections per listener from one address",
    details:
      "The oldest is closed when there are more. Connections of trusted proxies don't count ([networks](networks.md)).",
  },
  unknownConnections: {
    kind: whole({ from: 1, to: 1_000_000 }),
    fallback: 1_024,
    help: "Maximum number of unauthenticated connections per listener from all addresses",
    details: "Connections of trusted proxies count.",
  },
});

export interface AuthorityConfig {
  readonly trustDomain: string;
  readonly certificateTtlMs: number;
  readonly keyEncryptionKeyFile: string | undefined;
  readonly previousKeyEncryptionKeyFile: string | undefined;
  readonly caCertFile: string | undefined;
  readonly caKeyFile: string | undefined;
  readonly nextCaCertFile: string | undefined;
  readonly nextCaKeyFile: string | undefined;
}

export const authoritySettings: SettingTable<AuthorityConfig> = group<AuthorityConfig>("Certificate authority", {
  trustDomain: {
    kind: text({ placeholder: "NAME", expected: "a domain, for example fairlead.local" }),
    fallback: "fairlead.local",
    help: "Domain of the agents' SPIFFE identities",
    details: "Don't change it later: all agents would have to enroll again.",
  },
  certificateTtlMs: {
    name: "certificateTtl",
    kind: duration({ from: "1m", to: "30d", example: "24h" }),
    fallback: 86_400_000,
    former: { name: "certificateTtlMs", factor: 1 },
    help: "Lifetime of agents' certificates",
    details: "Agents renew after half of it. An agent that is cut off for the other half may need a new token.",
  },
  keyEncryptionKeyFile: {
    kind: file(),
    help: "File with the key that encrypts the authority's private key on disk: 32 bytes in base64 or hex",
    details: "Its mode must be 0600 ([certificate authority](ca.md)).",
  },
  previousKeyEncryptionKeyFile: {
    kind: file(),
    help: "File with the previous key encryption key, while you replace it",
    details: "The hub encrypts the authority's key again when it starts.",
  },
  // For a hub that keeps nothing. Read at the start.
  caCertFile: {
    kind: file(),
    help: "Certificate (PEM) of an authority to use instead of the hub's own; requires --in-memory",
    details:
      "For [a hub that keeps nothing](declarations.md#a-hub-that-keeps-nothing). The hub reads it when it starts.",
  },
  caKeyFile: { kind: file(), help: "Private key (PEM) of that authority: P-256, PKCS#8" },
  nextCaCertFile: {
    kind: file(),
    help: "Certificate (PEM) of the authority that replaces it",
    details: "Agents renew under it, and the hub trusts both ([declarations.md](declarations.md#another-authority)).",
  },
  nextCaKeyFile: { kind: file(), help: "Private key (PEM) of that authority" },
});

export interface MeshConfig {
  readonly agentTrust: "mtls" | "challenge";
  readonly meshIdentityHeader: string | undefined;
  readonly meshIdentityPattern: string | undefined;
  readonly meshIdentityPeers: readonly string[];
  readonly meshIdentityRoles: readonly Role[] | undefined;
  readonly meshIdentityPlaintext: boolean;
}

export const meshSettings: SettingTable<MeshConfig> = group<MeshConfig>("Identity of agents", {
  agentTrust: {
    kind: choice(["mtls", "challenge"], "KIND"),
    fallback: "mtls",
    help: "How agents prove their identity: mtls, or challenge for agents behind a TLS-terminating proxy",
    details:
      "With `mtls` an agent's certificate must arrive with its connection. With `challenge` an agent can sign a challenge instead ([networks](networks.md)).",
  },
  // A mesh vouches for agents instead of the hub's own certificates: no other way in is left on the agents' listener.
  meshIdentityHeader: {
    kind: headerName(),
    help: "Header in which a service mesh names agents, for example x-forwarded-client-cert",
    details:
      "The hub then accepts agents in no other way. A header of your own must hold the identity alone ([networks](networks.md#agents-of-a-service-mesh)).",
  },
  meshIdentityPattern: {
    kind: identityPattern(),
    help: "Regular expression that must match the whole identity; its group cluster is the cluster's name",
    details:
      "Written in JavaScript's syntax with the flag `u`, without references to groups, lookahead and lookbehind. The group `(?<cluster>…)` is required, a group `(?<role>…)` gives the role. Required with `--mesh-identity-header`.",
  },
  // By the connection's own address, whatever X-Forwarded-For says.
  meshIdentityPeers: {
    kind: addresses(),
    fallback: [],
    help: "Addresses and CIDR ranges of the mesh's connections to the hub",
    details: "The hub ignores the header from any other address. Required with `--mesh-identity-header`.",
  },
  meshIdentityRoles: {
    kind: choices(roles),
    defaultText: "all roles of the cluster",
    help: "Roles that agents of the mesh can have, where the pattern has no group role",
  },
  meshIdentityPlaintext: {
    kind: boolean(),
    fallback: false,
    help: "Serve agents without TLS, behind a sidecar that terminates it",
    details: "`--agent-public-url` can be `http://` then. Can't be combined with `--hub-address`.",
  },
});
