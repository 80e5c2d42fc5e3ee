import {
  changeQuerySchema,
  confirmClusterRequestSchema,
  objectQuerySchema,
  inventoryPaths as paths,
  rollupQuerySchema,
} from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Access } from "../../people/access/index.ts";
import { parseInput } from "../../platform/server/index.ts";
import { objectQueryInvalid } from "./errors.ts";
import type { Objects } from "./service.ts";
import type { Asking, ObjectInventory } from "./types.ts";

export function createObjectRoutes(options: {
  readonly objects: Objects;
  readonly access: Pick<Access, "require">;
  readonly inventory: ObjectInventory;
  readonly clock?: Clock | undefined;
}): FastifyPluginAsync {
  const { objects, access, inventory, clock = systemClock } = options;

  return async (server) => {
    server.addHook("onSend", async (_request, reply) => {
      if (reply.statusCode === 429 || reply.statusCode === 503) reply.header("retry-after", "1");
    });

    server.get(paths.objects, (request) => objects.list(parse(objectQuerySchema, request.query), asking(request)));

    server.get<{ Params: { cluster: string; uid: string } }>(`${paths.objects}/:cluster/:uid`, (request) =>
      objects.get(request.params, asking(request)),
    );

    server.get<{ Params: NamedParams }>("/api/v1/clusters/:cluster/objects/:kind/:namespace/:name", (request) => {
      const { namespace, ...ref } = request.params;
      return objects.getNamed({ ...ref, namespace: namespace === "-" ? "" : namespace }, asking(request));
    });

    server.get(paths.kinds, (request) => objects.kinds(asking(request)));
    server.get(paths.rollups, (request) => objects.count(parse(rollupQuerySchema, request.query), asking(request)));
    server.get(paths.changes, (request) => objects.changes(parse(changeQuerySchema, request.query), asking(request)));
    server.get(paths.inventories, (request) =>
      objects.inventories(parse(clustersQuerySchema, request.query), asking(request)),
    );

    server.get<ClusterParams>("/api/v1/clusters/:cluster/inventory", (request) => {
      const { cluster } = request.params;
      access.require(request.principal, { verb: "get", resource: "clusters", cluster });
      return objects.inventory(cluster, asking(request));
    });

    server.post<ClusterParams>("/api/v1/clusters/:cluster/inventory/confirm", async (request) => {
      const { cluster } = request.params;
      access.require(request.principal, { verb: "confirm", resource: "clusters", cluster });
      const { kubeSystemUid } = parse(confirmClusterRequestSchema, request.body);
      await inventory.confirmReplacement(cluster, kubeSystemUid);
      return await objects.inventory(cluster, asking(request));
    });
  };

  function asking({ principal }: FastifyRequest): Asking {
    return { principal, nowMs: clock.now() };
  }
}

interface ClusterParams {
  Params: { cluster: string };
}

interface NamedParams {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  return parseInput(schema, value, objectQueryInvalid);
}

const clustersQuerySchema: z.ZodType<{ cluster?: string | undefined; clusterSelector?: string | undefined }> =
  z.strictObject({ cluster: z.string().max(65_536).optional(), clusterSelector: z.string().max(2_048).optional() });
