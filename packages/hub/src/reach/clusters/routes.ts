import {
  type ClusterDetail,
  type ClusterIdentity,
  type ClusterLink,
  type ClusterList,
  type CreateClusterResponse,
  createClusterRequestSchema,
  createJoinTokenRequestSchema,
  type Join,
  revokeClusterRequestSchema,
  seeAlarmRequestSchema,
} from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import type { Principal } from "../../people/access/index.ts";
import { type DeclaredGuard, declarationErrors, readOnly } from "../../platform/declarations/index.ts";
import { clustersErrors } from "./errors.ts";
import { formatHelmJoin, formatJoinCommand, formatMeshCommand, formatMeshHelm } from "./join-command.ts";
import { toAgentRefusal } from "./state.ts";
import type { Clusters, PresentLink } from "./types.ts";

/** The routes need this of the identity room, which itself builds on this one. */
export interface JoinTokens {
  createJoinToken(options: {
    readonly cluster: string;
    readonly roles?: readonly Role[] | undefined;
    readonly ttlMs?: number | undefined;
  }): Promise<{ readonly token: string; readonly expiresAt: number }>;
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
}

interface ClusterAct {
  readonly verb: string;
  readonly resource: string;
  readonly cluster: string;
}

/** Makes everything under /api/v1/clusters. The server's hook has settled who asks. */
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
    server.addHook("preHandler", async ({ params }) => {
      const { name } = params as Partial<NameParams["Params"]>;
      if (name !== undefined) await clusters.meet(name);
    });

    server.get(collection, async ({ principal }): Promise<ClusterList> => {
      const mine = clusters
        .list()
        .filter(({ name }) => access.may(principal, { verb: "list", resource, cluster: name }));
      const roles = await identity.listRoles();
      return { items: mine.map((cluster) => ({ ...cluster, identityRoles: roles.get(cluster.name) ?? [] })) };
    });

    server.post(collection, async (request, reply): Promise<CreateClusterResponse> => {
      const { name, labels, roles = defaultRoles, tokenTtlMs } = parseBody(createClusterRequestSchema, request.body);
      access.require(request.principal, { verb: "create", resource, cluster: name });
      if (declared?.keepsNothing && !clusters.exists(name)) throw declarationErrors.DECLARED_ONLY({ name });
      const create = () => clusters.create({ name, labels, roles });
      const cluster = await (labels ? access.giveLabels(request.principal, { name, labels }, create) : create());
      void reply.code(201);
      return { cluster, join: await createJoin({ cluster: name, roles, ttlMs: tokenTtlMs }) };
    });

    server.get<NameParams>(`${collection}/:name`, async (request): Promise<ClusterDetail> => {
      const { name } = request.params;
      access.require(request.principal, { verb: "get", resource, cluster: name });
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

    server.post<NameParams>(`${collection}/:name/tokens`, async (request, reply): Promise<Join> => {
      const { name } = request.params;
      access.require(request.principal, { verb: "create", resource: `${resource}/tokens`, cluster: name });
      const { roles: known } = clusters.get(name);
      const { roles = known, tokenTtlMs } = parseBody(createJoinTokenRequestSchema, request.body ?? {});
      void reply.code(201);
      if (isMesh) await clusters.letIn(name, roles);
      return await createJoin({ cluster: name, roles, ttlMs: tokenTtlMs });
    });

    server.post<NameParams>(`${collection}/:name/revoke`, async (request) => {
      access.require(request.principal, { verb: "revoke", resource, cluster: request.params.name });
      const { reason } = parseBody(revokeClusterRequestSchema, request.body ?? {});
      requireLasting(request.params.name);
      return await clusters.revoke(request.params.name, reason);
    });

    server.post<AlarmParams>(`${collection}/:name/alarms/:id/seen`, async (request, reply) => {
      const { name, id } = request.params;
      access.require(request.principal, { verb: "update", resource: `${resource}/alarms`, cluster: name });
      const { count } = parseBody(seeAlarmRequestSchema, request.body);
      await clusters.seeAlarm(name, { id, count, by: request.principal.name });
      return await reply.code(204).send();
    });

    server.delete<NameParams>(`${collection}/:name`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource, cluster: request.params.name });
      declared?.requireUndeclared("Cluster", request.params.name);
      await clusters.remove(request.params.name);
      return await reply.code(204).send();
    });
  };

  /** A revocation that the hub forgets would let the agents in again. */
  function requireLasting(name: string): void {
    const cluster = declared?.keepsNothing ? declared.cluster(name) : undefined;
    if (cluster === undefined) return;
    const advice = `This hub keeps nothing, so a revocation must be declared: set identityEpoch: ${cluster.identityEpoch + 1} there. Agents with older certificates are cut within seconds.`;
    throw readOnly({ kind: "Cluster", name, file: cluster.file, advice });
  }

  async function createJoin(wanted: {
    cluster: string;
    roles: readonly Role[];
    ttlMs: number | undefined;
  }): Promise<Join> {
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

interface AlarmParams {
  Params: { name: string; id: string };
}

interface NameParams {
  Params: { name: string };
}

const collection = "/api/v1/clusters";
const resource = "clusters";
const defaultRoles: Role[] = ["proxy"];
const shownEvents = 50;
