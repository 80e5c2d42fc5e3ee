import { Code, ConnectError } from "@connectrpc/connect";
import { isFairleadError, toFairleadError } from "@fairlead/kernel";

/** Our codes cross as text in front of the message. An unforeseen error tells nothing. */
export function toRpcError(thrown: unknown): ConnectError {
  const error = toFairleadError(thrown);
  const code = isFairleadError(thrown) ? (connectCodes[error.httpStatus] ?? Code.Internal) : Code.Internal;
  return new ConnectError(`${error.code}: ${error.message}`, code, undefined, undefined, error);
}

const connectCodes: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  409: Code.AlreadyExists,
  413: Code.InvalidArgument,
  429: Code.ResourceExhausted,
  503: Code.Unavailable,
};
