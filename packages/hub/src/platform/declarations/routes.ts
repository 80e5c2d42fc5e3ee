import { type DeclarationList, declarationPaths } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { SignedIn } from "../server/index.ts";
import type { DeclarationsRoom } from "./service.ts";

export function createDeclarationRoutes(options: {
  readonly access: Pick<SignedIn, "require">;
  readonly declarations: Pick<DeclarationsRoom, "status">;
}): FastifyPluginAsync {
  const { access, declarations } = options;
  return async (server) => {
    server.get(declarationPaths.declarations, ({ principal }): DeclarationList => {
      access.require(principal, { verb: "list", resource: "declarations" });
      return declarations.status();
    });
  };
}
