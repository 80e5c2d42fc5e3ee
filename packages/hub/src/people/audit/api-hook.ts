// The hub's own API in the audit records: every call that changes something, every sign-in and sign-out, whoever reads
// what was recorded of others, and all that is refused. Before a change it is made sure that it can be recorded.

import type { IncomingMessage } from "node:http";
import { apiPrefix } from "@fairlead/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { auditErrors } from "./errors.ts";
import type { AuditAttributes, AuditOutcome, AuditPort, AuditPrincipal, AuditTrail } from "./types.ts";

export function addAuditHooks(
  app: FastifyInstance,
  options: { readonly audit: AuditPort; readonly readRemoteAddress: (req: IncomingMessage) => string },
): void {
  const { audit, readRemoteAddress } = options;
  const trails = new WeakMap<FastifyRequest, AuditTrail>();
  const startedMs = new WeakMap<FastifyRequest, number>();

  app.addHook("onRequest", async (request) => void startedMs.set(request, performance.now()));

  app.addHook("preHandler", async (request) => {
    if (isWatched(request)) trails.set(request, begin(request));
  });

  // A change is answered when its record is on disk; what was refused changed nothing.
  app.addHook("onSend", async (request, reply) => {
    const trail = trails.get(request);
    if (!trail || isReading(request.method) || reply.statusCode >= 400) return;
    try {
      await trail.endSafely(describeOutcome(request, reply.statusCode));
    } catch (cause) {
      throw auditErrors.AUDIT_UNSYNCED({ cause });
    }
  });

  app.addHook("onResponse", async (request, reply) => {
    const { statusCode: status } = reply;
    if (!trails.has(request) && !isWatched(request) && !isRefusal(request, status)) return;
    const trail = trails.get(request) ?? beginAnyway(request);
    trail?.end(describeOutcome(request, status));
  });

  function describeOutcome(request: FastifyRequest, status: number): AuditOutcome {
    const error = request.failure;
    return {
      status,
      ...(error && { code: error.code }),
      // Why a body was wrong says something of the body.
      ...(error && tells(status) && { reason: error.message }),
      bytesToCluster: 0,
      bytesFromCluster: 0,
      durationMs: performance.now() - (startedMs.get(request) ?? performance.now()),
    };
  }

  function begin(request: FastifyRequest): AuditTrail {
    const attributes = describe(request);
    return audit.begin({
      requestId: request.id,
      at: Date.now(),
      // The user of a sign-in is known only when it is done: read when the record is made.
      get principal(): AuditPrincipal | undefined {
        return request.told?.by ?? request.principal;
      },
      remoteAddress: readRemoteAddress(request.raw),
      userAgent: request.headers["user-agent"] ?? "",
      get cluster(): string {
        return request.told?.cluster ?? (attributes.resource === "clusters" ? attributes.name : "");
      },
      method: request.method,
      path: request.url.split("?", 1)[0] ?? "",
      attributes,
      get template(): string | undefined {
        return request.told?.template;
      },
      isLong: false,
    });
  }

  /** It has been refused already, so that it can't be recorded is no reason to refuse it. */
  function beginAnyway(request: FastifyRequest): AuditTrail | undefined {
    try {
      return begin(request);
    } catch {
      return undefined;
    }
  }
}

function isWatched({ method, routeOptions }: FastifyRequest): boolean {
  const route = routeOptions.url ?? "";
  if (!route.startsWith(apiPrefix)) return false;
  return !isReading(method) || (method === "GET" && watched.test(route));
}

function isRefusal({ routeOptions }: FastifyRequest, status: number): boolean {
  return (status === 401 || status === 403) && (routeOptions.url ?? "").startsWith(apiPrefix);
}

function tells(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** `/api/v1/clusters/:name/tokens` as resource, name and subresource. */
function describe(request: FastifyRequest): AuditAttributes {
  const { params, body, method, routeOptions } = request;
  const [resource = "", ...rest] = (routeOptions.url ?? "").slice(apiPrefix.length).split("/");
  const named = Object.values((params ?? {}) as Record<string, string>)[0];
  const asked = typeof body === "object" && body !== null && "name" in body ? body.name : undefined;
  return {
    verb: verbs[method] ?? method.toLowerCase(),
    apiGroup: "",
    resource,
    subresource: rest.filter((part) => !part.startsWith(":")).join("/"),
    namespace: "",
    get name(): string {
      return request.told?.about ?? named ?? (typeof asked === "string" ? asked : "");
    },
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Why it was refused or failed; set by the server's error handler. */
    failure?: { readonly code: string; readonly message: string };
    /** About whom or what a call was, once that is known; and of one that carries its own proof of whose word it is, whose. */
    told?: {
      readonly by?: AuditPrincipal;
      readonly about: string;
      readonly cluster?: string;
      readonly template?: string | undefined;
    };
  }
}

const watched = new RegExp(`^${apiPrefix}audit\\b`);
const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
