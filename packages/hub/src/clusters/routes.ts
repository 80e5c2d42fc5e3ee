import {
  type ClusterDetail,
  type ClusterIdentity,
  type ClusterLink,
  type CreateClusterResponse,
  createClusterRequestSchema,
  createJoinTokenRequestSchema,
  type Join,
  revokeClusterRequestSchema,
} from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import { parseBody } from "./body.ts";
import { formatJoinCommand } from "./join-command.ts";
import type { Clusters, PresentLink } from "./types.ts";

/** What the routes need of the identity room, which itself builds on this one. */
export interface JoinTokens {
  createJoinToken(options: {
    readonly cluster: string;
    readonly roles?: readonly Role[] | undefined;
    readonly ttlMs?: number | undefined;
  }): Promise<{ readonly token: string; readonly expiresAt: number }>;
  list(cluster: string): Promise<ClusterIdentity[]>;
}

/** Everything under /api/v1/clusters. Who may call it was settled before, by the server's hook. */
export function createClusterRoutes(options: {
  readonly clusters: Clusters;
  readonly identity: JoinTokens;
  /** The agent listener as agents reach it; a function, because a port of 0 is known only after listening. */
  readonly hubAgentUrl: () => string;
}): FastifyPluginAsync {
  const { clusters, identity, hubAgentUrl } = options;

  return async (server) => {
    server.get(collection, async () => ({ items: clusters.list() }));

    server.post(collection, async (request, reply): Promise<CreateClusterResponse> => {
      const { name, labels, roles = defaultRoles, tokenTtlMs } = parseBody(createClusterRequestSchema, request.body);
      const cluster = await clusters.create({ name, labels, roles });
      void reply.code(201);
      return { cluster, join: await createJoin({ cluster: name, roles, ttlMs: tokenTtlMs }) };
    });

    server.get<NameParams>(`${collection}/:name`, async (request): Promise<ClusterDetail> => {
      const { name } = request.params;
      const cluster = clusters.get(name);
      return {
        ...cluster,
        links: clusters.links(name).map(toClusterLink),
        identities: await identity.list(name),
        events: await clusters.listEvents(name, shownEvents),
      };
    });

    server.post<NameParams>(`${collection}/:name/tokens`, async (request, reply): Promise<Join> => {
      const { roles: known } = clusters.get(request.params.name);
      const { roles = known, tokenTtlMs } = parseBody(createJoinTokenRequestSchema, request.body ?? {});
      void reply.code(201);
      return await createJoin({ cluster: request.params.name, roles, ttlMs: tokenTtlMs });
    });

    server.post<NameParams>(`${collection}/:name/revoke`, async (request) => {
      const { reason } = parseBody(revokeClusterRequestSchema, request.body ?? {});
      return await clusters.revoke(request.params.name, reason);
    });

    server.delete<NameParams>(`${collection}/:name`, async (request, reply) => {
      await clusters.remove(request.params.name);
      return await reply.code(204).send();
    });
  };

  async function createJoin(wanted: {
    cluster: string;
    roles: readonly Role[];
    ttlMs: number | undefined;
  }): Promise<Join> {
    const { token, expiresAt } = await identity.createJoinToken(wanted);
    const url = hubAgentUrl();
    return {
      token,
      expiresAt: new Date(expiresAt).toISOString(),
      hubAgentUrl: url,
      command: formatJoinCommand({ cluster: wanted.cluster, hubAgentUrl: url, roles: wanted.roles }),
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
  };
}

interface NameParams {
  Params: { name: string };
}

const collection = "/api/v1/clusters";
const defaultRoles: Role[] = ["proxy"];
const shownEvents = 50;
