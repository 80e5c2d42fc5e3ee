import type { Infer, Operation, Params } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { parseInput } from "./parse-input.ts";

/** Serves an operation of the API: at its path, with its inputs checked, and with its status. */
export type Serve = <Served extends Operation>(
  operation: Served,
  handle: (call: ServedCall<Served>) => Handled<Served> | Promise<Handled<Served>>,
  options?: ServeOptions,
) => void;

export interface ServeOptions {
  /** Maximum size of the request's body. Default: the server's. */
  readonly bodyLimitBytes?: number;
  /** The answer goes on until its client leaves; its room bounds how many a user has. */
  readonly isLong?: boolean;
}

/**
 * Parameters, query and body are checked when a handler first reads them. So one that looks at rights before it reads
 * them tells nobody without the right what is wrong with a request.
 */
export interface ServedCall<Served extends Operation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: FastifyRequest["principal"];
  readonly params: Params<Served>;
  readonly query: Served extends { readonly query: infer Query extends z.ZodType } ? z.output<Query> : never;
  readonly body: Served extends { readonly request: infer Request extends z.ZodType } ? z.output<Request> : never;
}

/** What a handler returns: the answer, or `answered` when it has sent an answer of its own. */
export type Handled<Served extends Operation> = Served["success"] extends {
  readonly body: infer Body extends z.ZodType;
}
  ? Infer<Body> | Answered
  : void | Answered;

interface Answered {
  readonly isAnswered: true;
}

export const answered: Answered = { isAnswered: true };

/** Returns what a schema makes of an input, or throws the room's error. */
export type ParseInput = <T>(schema: z.ZodType<T>, sent: unknown, where: "path" | "query" | "body") => T;

export function parseOr(fail: (problems: string) => FairleadError): ParseInput {
  return (schema, sent) => parseInput(schema, sent, fail);
}

/** Without `parse` for rooms whose operations take nothing. */
export function createServe(server: FastifyInstance, parse: ParseInput = takeNothing): Serve {
  return (operation, handle, { bodyLimitBytes, isLong } = {}) => {
    const { status } = operation.success;
    server.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      ...(bodyLimitBytes !== undefined && { bodyLimit: bodyLimitBytes }),
      ...(isLong && { config: { isLong } }),
      async handler(request, reply) {
        reply.code(status);
        const answer = await handle(readCall({ operation, request, reply, parse }));
        return answer === answered ? reply : answer;
      },
    });
  };
}

function readCall<Served extends Operation>(options: {
  readonly operation: Served;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly parse: ParseInput;
}): ServedCall<Served> {
  const { operation, request, reply, parse } = options;
  const call = {
    request,
    reply,
    get principal() {
      return request.principal;
    },
    get params() {
      const params = request.params as Readonly<Record<string, string>>;
      const schemas = Object.entries(operation.params ?? {});
      return Object.fromEntries(schemas.map(([name, schema]) => [name, parse(schema, params[name], "path")]));
    },
    get query() {
      return operation.query && parse(operation.query, request.query, "query");
    },
    get body() {
      const sent = operation.isRequestOptional ? (request.body ?? {}) : request.body;
      return operation.request && parse(operation.request, sent, "body");
    },
  };
  return call as unknown as ServedCall<Served>;
}

const takeNothing: ParseInput = (schema, sent) => schema.parse(sent);
