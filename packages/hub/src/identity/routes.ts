import { isRole } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { bodyInvalid, bodyTooLarge, rolesInvalid } from "./errors.ts";
import type { Identity } from "./types.ts";

/**
 * POST /agent/v1/enroll on the agent listener: the one call there without a client certificate. The body is
 * `EnrollRequest` of fairlead/v1 as proto-JSON; members that this hub doesn't know are ignored, as protobuf does.
 */
export function createEnrollRoutes(options: { readonly identity: Identity }): FastifyPluginAsync {
  const { identity } = options;

  return async (server) => {
    server.setErrorHandler((error: { readonly code?: string }) => {
      if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") throw bodyTooLarge();
      if (error.code?.startsWith("FST_ERR_CTP_") || error instanceof SyntaxError) throw bodyInvalid(error);
      throw error;
    });

    server.post("/agent/v1/enroll", { bodyLimit: bodyLimitBytes }, async (request) => {
      const parsed = enrollRequestSchema.safeParse(request.body);
      if (!parsed.success) throw bodyInvalid();
      const { token, csrDer, roles } = parsed.data;
      if (!roles.every(isRole)) throw rolesInvalid();
      const enrollment = await identity.enroll({
        token,
        csrDer: Buffer.from(csrDer, "base64"),
        roles,
        remoteAddress: request.ip,
      });
      return { ...enrollment, notAfter: new Date(enrollment.notAfter).toISOString() };
    });
  };
}

const enrollRequestSchema = z.object({
  token: z.string(),
  /** Base64 of either alphabet, as proto-JSON has bytes. */
  csrDer: z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/),
  roles: z.array(z.string()),
});

const bodyLimitBytes = 32 * 1024;
