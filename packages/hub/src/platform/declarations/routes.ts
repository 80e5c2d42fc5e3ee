import { hubOperations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, type SignedIn } from "../server/index.ts";
import { declarationErrors } from "./errors.ts";
import type { DeclarationsRoom } from "./service.ts";

export function createDeclarationRoutes(options: {
  readonly access: Pick<SignedIn, "require">;
  /** Undefined where nothing is declared by files. */
  readonly declarations: Pick<DeclarationsRoom, "status"> | undefined;
}): FastifyPluginAsync {
  const { access, declarations } = options;
  return async (server) => {
    createServe(server)(hubOperations.listDeclarations, ({ principal }) => {
      access.require(principal, { verb: "list", resource: "declarations" });
      if (declarations === undefined) throw declarationErrors.DECLARATIONS_OFF();
      return declarations.status();
    });
  };
}
