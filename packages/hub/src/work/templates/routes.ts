import {
  putTemplateRequestSchema,
  renderTemplateRequestSchema,
  templateNameSchema,
  templatePaths,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { parseInput } from "../../platform/server/index.ts";
import { templateErrors } from "./errors.ts";
import type { Templates } from "./service.ts";

export function createTemplateRoutes(templates: Templates): FastifyPluginAsync {
  return async (server) => {
    server.get(templatePaths.templates, ({ principal }) => templates.list(principal));

    server.get<NameParams>("/api/v1/templates/:name", ({ principal, params }) => templates.get(principal, params.name));

    server.put<NameParams>("/api/v1/templates/:name", { bodyLimit: bodyLimitBytes }, async (request) => {
      const { principal, params, body } = request;
      const name = parseInput(templateNameSchema, params.name, requestInvalid);
      const template = await templates.put(principal, name, parseInput(putTemplateRequestSchema, body, requestInvalid));
      request.told = { about: name, template: `${name}@${template.revision}` };
      return template;
    });

    server.post<NameParams>("/api/v1/templates/:name/render", ({ principal, params, body }) =>
      templates.render(principal, params.name, parseInput(renderTemplateRequestSchema, body ?? {}, requestInvalid)),
    );

    server.delete<NameParams>("/api/v1/templates/:name", async ({ principal, params }, reply) => {
      await templates.remove(principal, params.name);
      return await reply.code(204).send();
    });
  };
}

function requestInvalid(problems: string): FairleadError {
  return templateErrors.TEMPLATE_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

const bodyLimitBytes = 512 * 1024;
