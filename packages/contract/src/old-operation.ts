import type { z } from "zod";

export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{name}`, `{id}` … for what the path names. */
  readonly path: string;
  readonly summary: string;
  readonly needsToken: boolean;
  readonly request?: z.ZodType;
  /** `application/json` unless told. */
  readonly requestContentType?: string;
  /** Names of query parameters and what each says. */
  readonly query?: Readonly<Record<string, string>>;
  readonly success: OperationSuccess;
}

export interface OperationSuccess {
  readonly status: number;
  readonly description: string;
  readonly body?: z.ZodType;
  /** `application/json` unless told. */
  readonly contentType?: string;
}
