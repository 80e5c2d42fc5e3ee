// The calls of clients, made from operations: the parameters of the path in its order, then the request or the query, then
// options.
import type { z } from "zod";
import type { Infer } from "./infer.ts";
import { fillPath, type OperationRow, type Params, parameterNames } from "./operation.ts";
import type { AnswerSchema, Call, CallOptions, Send } from "./send.ts";

/** A call for each operation of a table. */
export type Calls<Table> = {
  readonly [Id in keyof Table]: Table[Id] extends OperationRow
    ? (...args: CallArguments<Table[Id]>) => Promise<Answer<Table[Id]>>
    : never;
};

export type CallArguments<Row extends OperationRow> = [
  ...PathArguments<Row["path"], Params<Row>>,
  ...InputArgument<Row>,
  options?: CallOptions,
];

/** What a call needs to know of an operation; the client for browsers knows no more. */
export interface Callable {
  readonly method: string;
  readonly path: string;
  readonly takes?: "request" | "query" | "nothing" | undefined;
  readonly answer?: AnswerSchema<unknown> | undefined;
}

export function createCall(send: Send, callable: Callable): (...args: readonly unknown[]) => Promise<unknown> {
  return (...args) => send(toCall(callable, args));
}

export function toCallable({ method, path, request, query, success }: OperationRow): Callable {
  const takes = request ? "request" : query && "query";
  return { method, path, takes, answer: success.body };
}

export function toCall({ method, path, takes, answer }: Callable, args: readonly unknown[]): Call<unknown> {
  const names = parameterNames(path);
  const params = Object.fromEntries(names.map((name, index) => [name, String(args[index])]));
  const [input, options] =
    takes === "request" || takes === "query" ? args.slice(names.length) : [undefined, args[names.length]];
  const filled = fillPath(path, params);
  return {
    ...(options as CallOptions | undefined),
    method,
    path: takes === "query" ? filled + toQueryString((input ?? {}) as object) : filled,
    ...(takes === "request" && { body: input ?? {} }),
    ...(answer && { answer }),
  };
}

/** The query string with its question mark; empty when nothing is asked for. */
function toQueryString(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

type PathArguments<Path, Values> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [part: Name extends keyof Values ? Values[Name] : string, ...PathArguments<Rest, Values>]
  : [];

type InputArgument<Row extends OperationRow> = Row extends { readonly request: infer Request extends z.ZodType }
  ? Row extends { readonly isRequestOptional: true }
    ? [request?: Infer<Request>]
    : [request: Infer<Request>]
  : Row extends { readonly query: infer Query extends z.ZodType }
    ? [query?: Infer<Query>]
    : [];

export type Answer<Row extends OperationRow> = Row["success"] extends { readonly body: infer Body extends z.ZodType }
  ? z.output<Body>
  : void;
