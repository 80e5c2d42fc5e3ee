// An operation of the API is said once, as a row of its room's table. Its route on the hub, its call of the client and its
// part of openapi.json are made from the row.
import type { z } from "zod";

/** The rows of one room, each with its id. */
export type Operations<Table> = {
  readonly [Id in keyof Table]: Table[Id] & { readonly id: Id; readonly needsToken: boolean };
};

export function defineOperations<const Table extends OperationTable>(
  table: Table & CheckedTable<Table>,
): Operations<Table> {
  const rows = Object.entries<OperationRow>(table).map(([id, row]) => {
    return [id, { ...row, id, needsToken: !row.isOpen }];
  });
  return Object.fromEntries(rows) as Operations<Table>;
}

export interface Operation extends OperationRow {
  readonly id: string;
  readonly needsToken: boolean;
}

export interface OperationRow {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters are in braces, for example `/api/v1/profiles/{name}`. */
  readonly path: string;
  readonly summary: string;
  /** Anyone may call it, without having signed in. */
  readonly isOpen?: true;
  /** A schema with a description for each parameter of the path. */
  readonly params?: Readonly<Record<string, z.ZodType<string>>>;
  /** An object with a property, and its description, for each parameter of the query. */
  readonly query?: z.ZodType;
  readonly request?: z.ZodType;
  /** A request without a body counts as one with an empty object. */
  readonly isRequestOptional?: true;
  /** Default: `application/json`. */
  readonly requestContentType?: string;
  readonly success: OperationSuccess;
  /** Codes of the errors that are this operation's own. Errors of signing in and of rights come in addition. */
  readonly errors?: readonly string[];
  /** The right that the caller needs, as verb and resource: `update roles`. */
  readonly right?: string;
}

export interface OperationSuccess {
  readonly status: number;
  readonly description: string;
  readonly body?: z.ZodType;
  /** Default: `application/json`. */
  readonly contentType?: string;
}

export type OperationTable = Readonly<Record<string, OperationRow>>;

/** The names in the braces of a path. */
export type PathParameter<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The type of each parameter of an operation's path. */
export type Params<Row extends OperationRow> = {
  readonly [Name in PathParameter<Row["path"]>]: Row["params"] extends Readonly<Record<Name, z.ZodType<infer Value>>>
    ? Value
    : string;
};

/** The path with its parameters filled in. No value can leave its place in the path. */
export function pathOf<Path extends string>(
  { path }: { readonly path: Path },
  ...[params]: PathArgument<Path>
): string {
  return fillPath(path, params ?? {});
}

export type PathArgument<Path> = [PathParameter<Path>] extends [never]
  ? []
  : [params: Readonly<Record<PathParameter<Path>, string>>];

export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** In the order of the path. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** Requires a schema for each parameter of a path, and none besides. */
type CheckedTable<Table extends OperationTable> = {
  readonly [Id in keyof Table]: [PathParameter<Table[Id]["path"]>] extends [never]
    ? { readonly params?: never }
    : {
        readonly params: Readonly<Record<PathParameter<Table[Id]["path"]>, z.ZodType<string>>> & {
          readonly [Name in Exclude<keyof Table[Id]["params"], PathParameter<Table[Id]["path"]>>]: never;
        };
      };
};
