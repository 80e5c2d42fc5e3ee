import {
  approveCommandRequestSchema,
  approvePlanningRequestSchema,
  type Command,
  type CreateCommandRequest,
  commandListQuerySchema,
  commandPaths,
  createCommandRequestSchema,
  rejectCommandRequestSchema,
  retryCommandRequestSchema,
  type TemplateOrigin,
  type TemplateUse,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Access } from "../../people/access/index.ts";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { parseInput } from "../../platform/server/index.ts";
import type { Approvals } from "./approvals.ts";
import { commandErrors } from "./errors.ts";
import type { Commands } from "./service.ts";

export function createCommandRoutes(options: {
  readonly commands: Commands;
  readonly approvals: Approvals;
  readonly access: Pick<Access, "require">;
  /** Undefined: the hub has no commands. */
  readonly keys: CommandKeys | undefined;
}): FastifyPluginAsync {
  const { commands, approvals, access, keys } = options;

  return async (server) => {
    server.post(commandPaths.commands, { bodyLimit: bodyLimitBytes }, async (request, reply) => {
      requireKeys(keys);
      const asked = parseInput(createCommandRequestSchema, request.body, commandRequestInvalid);
      // Also for the record of a refusal.
      request.told = { about: "", cluster: asked.cluster, template: templateOf(asked) };
      const created = await commands.create(request.principal, asked);
      note(request, created.command);
      return await reply.code(created.isNew ? 201 : 200).send(created.command);
    });

    server.get(commandPaths.commands, (request) =>
      commands.list(request.principal, parseInput(commandListQuerySchema, request.query, commandRequestInvalid)),
    );

    server.get<IdParams>("/api/v1/commands/:id", ({ principal, params }) => commands.get(principal, params.id));

    server.post<IdParams>("/api/v1/commands/:id/cancel", async (request) => {
      return note(request, await commands.cancel(request.principal, request.params.id));
    });

    server.post<IdParams>("/api/v1/commands/:id/retry", async (request, reply) => {
      requireKeys(keys);
      const asked = parseInput(retryCommandRequestSchema, request.body ?? {}, commandRequestInvalid);
      const created = await commands.retry(request.principal, request.params.id, asked);
      note(request, created.command);
      return await reply.code(created.isNew ? 201 : 200).send(created.command);
    });

    server.post<IdParams>("/api/v1/commands/:id/approve", async (request) => {
      const asked = parseInput(approveCommandRequestSchema, request.body, commandRequestInvalid);
      return note(request, await approvals.approve(request.principal, request.params.id, asked));
    });

    server.post<IdParams>("/api/v1/commands/:id/approve-plan", async (request) => {
      const asked = parseInput(approvePlanningRequestSchema, request.body ?? {}, commandRequestInvalid);
      return note(request, await approvals.approvePlanning(request.principal, request.params.id, asked));
    });

    server.post<IdParams>("/api/v1/commands/:id/reject", async (request) => {
      const asked = parseInput(rejectCommandRequestSchema, request.body ?? {}, commandRequestInvalid);
      return note(request, await approvals.reject(request.principal, request.params.id, asked));
    });

    server.get(commandPaths.commandKeys, ({ principal }) => {
      access.require(principal, { verb: "get", resource });
      return showKeys(requireKeys(keys));
    });

    server.post(commandPaths.rotateCommandKeys, async ({ principal }) => {
      access.require(principal, { verb: "rotate", resource });
      await requireKeys(keys).rotate();
      return showKeys(requireKeys(keys));
    });
  };

  /** For the audit records. */
  function note(request: Pick<FastifyRequest, "told">, command: Command): Command {
    const { id, cluster, template } = command;
    request.told = { about: id, cluster, template: template && formatOrigin(template) };
    return command;
  }
}

/** The name of the template that is asked for, for the record of a refusal. */
export function templateOf({ kind, spec }: Pick<CreateCommandRequest, "kind" | "spec">): string | undefined {
  return kind === "template" ? (spec as TemplateUse["spec"]).name : undefined;
}

/** As audit records have it. */
export function formatOrigin({ name, revision }: TemplateOrigin): string {
  return `${name}@${revision}`;
}

export function commandRequestInvalid(problems: string): FairleadError {
  return commandErrors.COMMAND_REQUEST_INVALID({ problems });
}

export function requireKeys(keys: CommandKeys | undefined): CommandKeys {
  if (!keys) throw commandErrors.COMMAND_UNSIGNABLE();
  return keys;
}

function showKeys(keys: CommandKeys) {
  return {
    items: keys.list().map(({ id, publicJwk, signsFrom, endsAt }) => ({
      id,
      publicJwk,
      signsFrom: signsFrom.toISOString(),
      ...(endsAt === undefined ? {} : { endsAt: endsAt.toISOString() }),
    })),
  };
}

interface IdParams {
  Params: { id: string };
}

const resource = "command-keys";
/** A spec, with what its quotes and line feeds take more as JSON within JSON. */
const bodyLimitBytes = 4 * 1024 * 1024;
