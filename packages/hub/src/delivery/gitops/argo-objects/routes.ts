import {
  type ArgoObjectKind,
  type ArgoObjectName,
  argoObjectKindSchema,
  argoObjectListQuerySchema,
  putArgoObjectRequestSchema,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { parseInput } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { ArgoObjects } from "./service.ts";

export function createArgoObjectRoutes(objects: ArgoObjects): FastifyPluginAsync {
  return async (server) => {
    server.get<KindParams>("/api/v1/argo/:kind", ({ principal, params, query }) =>
      objects.list(principal, kindOf(params), parseInput(argoObjectListQuerySchema, query, requestInvalid)),
    );

    server.get<NameParams>(path, (request) => objects.get(request.principal, nameOf(request)));

    server.put<NameParams>(path, { bodyLimit: bodyLimitBytes }, (request) => {
      const asked = parseInput(putArgoObjectRequestSchema, request.body, requestInvalid);
      return objects.put(request.principal, nameOf(request), asked);
    });

    server.delete<NameParams>(path, async (request, reply) => {
      await objects.remove(request.principal, nameOf(request));
      return await reply.code(204).send();
    });
  };
}

/** The audit records name it, too. */
function nameOf(request: FastifyRequest<NameParams>): ArgoObjectName {
  const kind = kindOf(request.params);
  const { name } = request.params;
  request.told = { about: `${kind}/${name}` };
  return { kind, name };
}

function kindOf({ kind }: { readonly kind: string }): ArgoObjectKind {
  return parseInput(argoObjectKindSchema, kind, requestInvalid);
}

function requestInvalid(problems: string): FairleadError {
  return gitopsErrors.GITOPS_REQUEST_INVALID({ problems });
}

interface KindParams {
  Params: { kind: string };
}

interface NameParams {
  Params: { kind: string; name: string };
}

const path = "/api/v1/argo/:kind/:name";
/** Some room for what JSON takes beside the largest object. */
const bodyLimitBytes = 2 * 1024 * 1024;
