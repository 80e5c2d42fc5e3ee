import {
  type ClusterIdentity,
  type ClusterLink,
  type CreateJoinTokenRequest,
  type Join,
  type Labels,
  clusterOperations as operations,
} from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import type { Principal } from "../../people/access/index.ts";
import { type DeclaredGuard, declarationErrors, readOnly } from "../../platform/declarations/index.ts";
import { createServe } from "../../platform/server/index.ts";
import { clustersErrors } from "./errors.ts";
import { formatHelmJoin, formatJoinCommand, formatMeshCommand, formatMeshHelm } from "./join-command.ts";
import { toAgentRefusal } from "./state.ts";
import type { Clusters, PresentLink } from "./types.ts";
import { toUpdate } from "./update.ts";

/** The routes need this of the identity room, which itself builds on this one. */
export interface JoinTokens {
  createJoinToken(
    wanted: CreateJoinTokenRequest & { readonly cluster: string },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>;
  list(cluster: string): Promise<ClusterIdentity[]>;
  /** Lists the roles of the identities that are good now, by cluster. */
  listRoles(): Promise<ReadonlyMap<string, Role[]>>;
}

/** Decides who may do what with clusters; the access room knows. */
export interface ClusterAccess {
  may(principal: Principal, request: ClusterAct): boolean;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, request: ClusterAct): void;
  /**
   * Labels give a cluster to whoever is bound by them: runs `make` while nobody is bound. Throws ACCESS_ESCALATION,
   * ACCESS_UNRECORDED.
   */
  giveLabels<T>(
    principal: Principal,
    cluster: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
    make: () => Promise<T>,
  ): Promise<T>;
  /** The same where a cluster has labels already: the rights that the principal has by the former ones count. */
  changeLabels<T>(
    principal: Principal,
    cluster: { readonly name: string; readonly before: Labels; readonly after: Labels },
    make: () => Promise<T>,
  ): Promise<T>;
}

interface ClusterAct {
  readonly verb: string;
  readonly resource: string;
  readonly cluster: string;
}

export function createClusterRoutes(options: {
  readonly access: ClusterAccess;
  readonly clusters: Clusters;
  readonly identity: JoinTokens;
  /** The agent listener as agents reach it; a function, because a port of 0 is known only after listening. */
  readonly hubAgentUrl: () => string;
  readonly declared?: DeclaredGuard | undefined;
  /** A mesh vouches for agents: they need no tokens. */
  readonly isMesh?: boolean | undefined;
}): FastifyPluginAsync {
  const { access, clusters, identity, hubAgentUrl, declared, isMesh = false } = options;

  return async (server) => {
    const serve = createServe(server, parseBody);
    server.addHook("preHandler", async ({ params }) => {
      const { name } = params as { readonly name?: string };
      if (name !== undefined) await clusters.meet(name);
    });

    serve(operations.listClusters, async ({ principal }) => {
      const mine = clusters
        .list()
        .filter(({ name }) => access.may(principal, { verb: "list", resource, cluster: name }));
      const roles = await identity.listRoles();
      return { items: mine.map((cluster) => ({ ...cluster, identityRoles: roles.get(cluster.name) ?? [] })) };
    });

    serve(operations.createCluster, async ({ principal, body }) => {
      const { name, labels, roles = defaultRoles, tokenTtlMs } = body;
      access.require(principal, { verb: "create", resource, cluster: name });
      if (declared?.keepsNothing && !clusters.exists(name)) throw declarationErrors.DECLARED_ONLY({ name });
      const create = () => clusters.create({ name, labels, roles });
      const cluster = await (labels ? access.giveLabels(principal, { name, labels }, create) : create());
      return { cluster, join: await createJoin({ cluster: name, roles, tokenTtlMs }) };
    });

    serve(operations.getCluster, async ({ principal, params: { name } }) => {
      access.require(principal, { verb: "get", resource, cluster: name });
      const cluster = clusters.get(name);
      return {
        ...cluster,
        identityRoles: (await identity.listRoles()).get(name) ?? [],
        links: clusters.links(name).map(toClusterLink),
        identities: await identity.list(name),
        alarms: await clusters.listAlarms(name),
        events: await clusters.listEvents(name, shownEvents),
      };
    });

    serve(operations.updateCluster, async ({ principal, params: { name }, body }) => {
      access.require(principal, { verb: "update", resource, cluster: name });
      declared?.requireUndeclared("Cluster", name);
      const update = toUpdate(name, clusters.get(name).labels, body);
      const make = () => clusters.update(name, { ...update, by: principal.name });
      return await (update.labels ? access.changeLabels(principal, { name, ...update.labels }, make) : make());
    });

    serve(operations.createJoinToken, async (call) => {
      const { name } = call.params;
      access.require(call.principal, { verb: "create", resource: `${resource}/tokens`, cluster: name });
      const { roles: known } = clusters.get(name);
      const wanted = { ...call.body, cluster: name, roles: call.body.roles ?? known };
      if (isMesh) await clusters.letIn(name, wanted.roles);
      return await createJoin(wanted);
    });

    serve(operations.revokeCluster, async (call) => {
      const { name } = call.params;
      access.require(call.principal, { verb: "revoke", resource, cluster: name });
      const { reason } = call.body;
      requireLasting(name);
      return await clusters.revoke(name, reason);
    });

    serve(operations.seeClusterAlarm, async (call) => {
      const { name, id } = call.params;
      access.require(call.principal, { verb: "update", resource: `${resource}/alarms`, cluster: name });
      await clusters.seeAlarm(name, { id, count: call.body.count, by: call.principal.name });
    });

    serve(operations.removeCluster, async ({ principal, params: { name } }) => {
      access.require(principal, { verb: "delete", resource, cluster: name });
      declared?.requireUndeclared("Cluster", name);
      await clusters.remove(name);
    });
  };

  /** A revocation that the hub forgets would let the agents in again. */
  function requireLasting(name: string): void {
    const cluster = declared?.keepsNothing ? declared.cluster(name) : undefined;
    if (cluster === undefined) return;
    const advice = `This hub keeps nothing, so a revocation must be declared: set identityEpoch: ${cluster.identityEpoch + 1} there. Agents with older certificates are cut within seconds.`;
    throw readOnly({ kind: "Cluster", name, file: cluster.file, advice });
  }

  async function createJoin(
    wanted: CreateJoinTokenRequest & { readonly cluster: string; readonly roles: readonly Role[] },
  ): Promise<Join> {
    const url = hubAgentUrl();
    const command = { cluster: wanted.cluster, hubAgentUrl: url, roles: wanted.roles };
    if (isMesh) return { hubAgentUrl: url, command: formatMeshCommand(command), helm: formatMeshHelm(command) };
    const { token, expiresAt } = await identity.createJoinToken(wanted);
    return {
      token,
      expiresAt: new Date(expiresAt).toISOString(),
      hubAgentUrl: url,
      command: formatJoinCommand(command),
      helm: formatHelmJoin(command),
    };
  }
}

function toClusterLink(link: PresentLink): ClusterLink {
  return {
    id: link.id,
    roles: [...link.roles],
    connectedAt: new Date(link.connectedAt).toISOString(),
    remoteAddress: link.remoteAddress,
    certificateNotAfter: new Date(link.notAfter).toISOString(),
    ...(link.hello === undefined
      ? {}
      : { agentInstanceId: link.hello.agentInstanceId, agentVersion: link.hello.agentVersion }),
    ...(link.refusal && { refusal: toAgentRefusal(link.refusal) }),
  };
}

/** The body in its schema's type, or a coded error that names what is wrong with it. Values are never repeated. */
function parseBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  if (issues.some(({ path }) => path[0] === "name")) throw clustersErrors.CLUSTER_NAME_INVALID();
  throw clustersErrors.REQUEST_INVALID({
    problems: issues.map(({ path, message }) => `${path.join(".") || "body"} ${message}`).join("; "),
  });
}

const resource = "clusters";
const defaultRoles: Role[] = ["proxy"];
const shownEvents = 50;
