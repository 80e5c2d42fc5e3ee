export { createRequestTrace, type EndOfRequest, type RequestTrace, type TracedRequest } from "./request-trace.ts";
export { parseVerbosity } from "./verbosity.ts";
