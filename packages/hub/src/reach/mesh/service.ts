// Knows agents by what their mesh says of them. Nothing but the address of the connection makes that credible, so it is
// looked at first; then the mesh's identity must be that of a cluster here, which wasn't revoked, for the roles asked for.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@fairlead/kernel";
import { isRole, linkRolesHeader, type Role } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { HubConfig } from "../../platform/config/index.ts";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import { createTrustedProxies } from "../../platform/server/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../clusters/index.ts";
import { type AgentIdentity, requireDeclared } from "../identity/index.ts";
import { meshErrors } from "./errors.ts";
import { compilePattern } from "./pattern.ts";
import { readIdentity, readRoles } from "./read-identity.ts";

export interface MeshIdentity {
  /** Throws LINK_MESH_*. */
  authenticate(req: Pick<IncomingMessage, "rawHeaders" | "socket">): Promise<MeshPeer>;
  /** For a claim that this hub or another one has read from a request: whether it counts now. */
  judge(claim: MeshClaim): Promise<AgentIdentity>;
}

export interface MeshClaim {
  /** As the mesh says it. */
  readonly identity: string;
  /** As the agent says them. */
  readonly roles: readonly Role[];
}

export interface MeshPeer {
  readonly claim: MeshClaim;
  readonly peer: AgentIdentity;
}

type MeshSettings = Pick<
  HubConfig,
  "meshIdentityHeader" | "meshIdentityPattern" | "meshIdentityPeers" | "meshIdentityRoles"
>;

/** Undefined where the hub knows agents by their certificates. */
export function createMeshIdentity(options: {
  readonly config: MeshSettings;
  readonly db: Kysely<Tables>;
  readonly clusters: Pick<Clusters, "meet" | "isCurrentEpoch">;
  /** The clusters that files declare. */
  readonly declared: DeclaredGuard | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info">;
  /** How long a link may go on before the mesh has to vouch for its agent again. */
  readonly lifeMs: number;
}): MeshIdentity | undefined {
  const { config, db, clusters, declared, clock, log, lifeMs } = options;
  const { meshIdentityHeader: header, meshIdentityPattern: source, meshIdentityRoles: configured } = config;
  if (header === undefined || source === undefined) return undefined;
  const peers = createTrustedProxies(config.meshIdentityPeers);
  const pattern = compilePattern(source);
  return { authenticate, judge };

  async function authenticate({ rawHeaders, socket }: Pick<IncomingMessage, "rawHeaders" | "socket">) {
    const { remoteAddress = "unknown" } = socket;
    if (!peers.has(remoteAddress)) throw meshErrors.LINK_MESH_PEER_UNTRUSTED({ address: remoteAddress });
    const claim = { identity: readIdentity(rawHeaders, header ?? ""), roles: readRoles(rawHeaders) };
    return { claim, peer: await judge(claim) };
  }

  async function judge({ identity, roles }: MeshClaim): Promise<AgentIdentity> {
    if (roles.length === 0) throw meshErrors.LINK_MESH_ROLES_MISSING({ header: linkRolesHeader });
    const found = pattern.read(identity);
    if (found === undefined) {
      log.info({ identity }, "the mesh's identity of an agent doesn't match the pattern");
      throw meshErrors.LINK_MESH_IDENTITY_UNKNOWN();
    }
    const { cluster, role } = found;
    const known = await findCluster(cluster, roles);
    const given: readonly unknown[] = role === undefined ? (configured ?? known) : [role];
    const lacking = roles.filter((wanted) => !given.includes(wanted) || !known.includes(wanted));
    if (lacking.length > 0) throw meshErrors.LINK_MESH_ROLE_NOT_GRANTED({ cluster, roles: lacking.join(", ") });
    return {
      cluster,
      roles: [...roles],
      serial: undefined,
      issuer: undefined,
      keyThumbprint: createHash("sha256").update(`mesh identity ${identity}`).digest("hex"),
      notAfter: clock.now() + lifeMs,
    };
  }

  /** The roles that it is for. From the database: a revocation that another hub has answered counts at once. */
  async function findCluster(name: string, roles: readonly Role[]): Promise<readonly Role[]> {
    const row = await db
      .selectFrom("cluster")
      .leftJoin("declaration", (join) =>
        join.onRef("declaration.name", "=", "cluster.name").on("declaration.kind", "=", "Cluster"),
      )
      .select(["cluster.name", "epoch", "roles", "revoked_at", "withdrawn_at as withdrawnAt"])
      .where("cluster.name", "=", name)
      .executeTakeFirst();
    if (!row) throw meshErrors.LINK_MESH_CLUSTER_UNKNOWN({ cluster: name.slice(0, 63) });
    // Another hub may have made the cluster just now.
    await clusters.meet(name);
    // A revocation may have been answered since the database gave the row: its listeners don't know of this peer yet.
    if (row.revoked_at !== null || !clusters.isCurrentEpoch(name, row.epoch))
      throw meshErrors.LINK_MESH_CLUSTER_REVOKED({ cluster: name });
    requireDeclared(declared, { cluster: name, roles, clusterRoles: row.roles, withdrawnAt: row.withdrawnAt });
    return row.roles.filter(isRole);
  }
}
