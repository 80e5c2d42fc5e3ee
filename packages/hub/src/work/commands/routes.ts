import {
  type Command,
  type CreateCommandRequest,
  commandOperations as operations,
  type TemplateOrigin,
  type TemplateUse,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Access } from "../../people/access/index.ts";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { createServe, parseOr } from "../../platform/server/index.ts";
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
    const serve = createServe(server, parseOr(commandRequestInvalid));

    serve(
      operations.createCommand,
      async (call) => {
        requireKeys(keys);
        const { request, reply, principal, body } = call;
        // Also for the record of a refusal.
        request.told = { about: "", cluster: body.cluster, template: templateOf(body) };
        const { command, isNew } = await commands.create(principal, body);
        if (!isNew) void reply.code(200);
        return note(request, command);
      },
      { bodyLimitBytes },
    );

    serve(operations.listCommands, ({ principal, query }) => commands.list(principal, query));
    serve(operations.getCommand, ({ principal, params }) => commands.get(principal, params.id));

    serve(operations.cancelCommand, async ({ request, principal, params }) => {
      return note(request, await commands.cancel(principal, params.id));
    });

    serve(operations.retryCommand, async (call) => {
      requireKeys(keys);
      const { request, reply, principal, params, body } = call;
      const { command, isNew } = await commands.retry(principal, params.id, body);
      if (!isNew) void reply.code(200);
      return note(request, command);
    });

    serve(operations.approveCommand, async ({ request, principal, params, body }) => {
      return note(request, await approvals.approve(principal, params.id, body));
    });

    serve(operations.approvePlanning, async ({ request, principal, params, body }) => {
      return note(request, await approvals.approvePlanning(principal, params.id, body));
    });

    serve(operations.rejectCommand, async ({ request, principal, params, body }) => {
      return note(request, await approvals.reject(principal, params.id, body));
    });

    serve(operations.listCommandKeys, ({ principal }) => {
      access.require(principal, { verb: "get", resource });
      return showKeys(requireKeys(keys));
    });

    serve(operations.rotateCommandKeys, async ({ principal }) => {
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

const resource = "command-keys";
/** A spec, with what its quotes and line feeds take more as JSON within JSON. */
const bodyLimitBytes = 4 * 1024 * 1024;
