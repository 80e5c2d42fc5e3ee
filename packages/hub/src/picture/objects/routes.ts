import { inventoryOperations as operations } from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { Access, Principal } from "../../people/access/index.ts";
import { createServe, parseOr } from "../../platform/server/index.ts";
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

    const serve = createServe(server, parseOr(objectQueryInvalid));

    serve(operations.listObjects, (call) => objects.list(call.query, asking(call)));
    serve(operations.getObject, (call) => objects.get(call.params, asking(call)));
    serve(operations.getNamedObject, (call) => {
      const { name: cluster, kind, namespace, object: name } = call.params;
      return objects.getNamed({ cluster, kind, namespace: namespace === "-" ? "" : namespace, name }, asking(call));
    });
    serve(operations.listKinds, (call) => objects.kinds(asking(call)));
    serve(operations.countObjects, (call) => objects.count(call.query, asking(call)));
    serve(operations.listChanges, (call) => objects.changes(call.query, asking(call)));
    serve(operations.listInventories, (call) => objects.inventories(call.query, asking(call)));

    serve(operations.getInventory, (call) => {
      const { name: cluster } = call.params;
      access.require(call.principal, { verb: "get", resource: "clusters", cluster });
      return objects.inventory(cluster, asking(call));
    });

    serve(operations.confirmCluster, async (call) => {
      const { name: cluster } = call.params;
      access.require(call.principal, { verb: "confirm", resource: "clusters", cluster });
      await inventory.confirmReplacement(cluster, call.body.kubeSystemUid);
      return await objects.inventory(cluster, asking(call));
    });
  };

  function asking({ principal }: { readonly principal: Principal }): Asking {
    return { principal, nowMs: clock.now() };
  }
}
