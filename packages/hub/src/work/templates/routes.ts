import { templateOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, parseOr } from "../../platform/server/index.ts";
import { templateErrors } from "./errors.ts";
import type { Templates } from "./service.ts";

export function createTemplateRoutes(templates: Templates): FastifyPluginAsync {
  const parse = parseOr((problems) => templateErrors.TEMPLATE_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listTemplates, ({ principal }) => templates.list(principal));
    serve(operations.getTemplate, ({ principal, params }) => templates.get(principal, params.name));

    serve(
      operations.putTemplate,
      async ({ request, principal, params: { name }, body }) => {
        const template = await templates.put(principal, name, body);
        request.told = { about: name, template: `${name}@${template.revision}` };
        return template;
      },
      { bodyLimitBytes },
    );

    serve(operations.renderTemplate, ({ principal, params, body }) => templates.render(principal, params.name, body));
    serve(operations.removeTemplate, ({ principal, params }) => templates.remove(principal, params.name));
  };
}

const bodyLimitBytes = 512 * 1024;
