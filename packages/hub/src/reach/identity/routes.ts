import { type Clock, systemClock } from "@fairlead/kernel";
import { type EnrollRequest, enrollPath, formatEnrollResponse, isRole, parseEnrollRequest } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import { createEnrollGate } from "./enroll-gate.ts";
import { identityErrors } from "./errors.ts";
import type { Identity } from "./types.ts";

/**
 * POST /agent/v1/enroll on the agent listener: the one call there without a client certificate. The body is
 * `EnrollRequest` as proto-JSON, the answer `EnrollResponse`.
 */
export function createEnrollRoutes(options: {
  readonly identity: Identity;
  readonly clock?: Clock;
  /** Public keys by which agents know commands. */
  readonly commandKeys?: (() => readonly string[]) | undefined;
}): FastifyPluginAsync {
  const { identity, clock = systemClock, commandKeys = () => [] } = options;
  const gate = createEnrollGate({ clock });

  return async (server) => {
    server.setErrorHandler((error: { readonly code?: string }) => {
      if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") throw identityErrors.ENROLL_BODY_TOO_LARGE();
      if (error.code?.startsWith("FST_ERR_CTP_") || error instanceof SyntaxError)
        throw identityErrors.ENROLL_BODY_INVALID({ cause: error });
      throw error;
    });

    server.post(enrollPath, { bodyLimit: bodyLimitBytes }, async (request) => {
      const enrollment = await gate.pass(request.ip, async () => {
        const { token, csrDer, roles } = readBody(request.body);
        if (!roles.every(isRole)) throw identityErrors.ENROLL_ROLES_INVALID();
        return await identity.enroll({ token, csrDer, roles, remoteAddress: request.ip });
      });
      return formatEnrollResponse({
        ...enrollment,
        commandKeys: [...commandKeys()],
        notAfter: new Date(enrollment.notAfter).toISOString(),
      });
    });
  };
}

function readBody(body: unknown): EnrollRequest {
  try {
    return parseEnrollRequest(body);
  } catch {
    // Without the cause, which quotes the body, and that holds a token.
    throw identityErrors.ENROLL_BODY_INVALID();
  }
}

const bodyLimitBytes = 32 * 1024;
