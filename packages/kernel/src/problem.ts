import { toFairleadError } from "./to-fairlead-error.ts";

/** An error on our HTTP API, RFC 9457 (`application/problem+json`) with the stable code and the hint as members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
}

export function toProblem(thrown: unknown, options: { requestId?: string | undefined } = {}): Problem {
  const error = toFairleadError(thrown);
  return {
    type: `urn:fairlead:error:${error.code}`,
    title: error.code,
    status: error.httpStatus,
    code: error.code,
    detail: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
  };
}
