import { FairleadError, type FairleadErrorOptions } from "@fairlead/kernel";
import type { z } from "zod";
import { problemSchema } from "./problem.ts";

/** An error that came from a call to the hub: what the hub said, or why nothing useful was said. */
export class HubError extends FairleadError {
  /** Under this id the hub's log has the details. */
  readonly requestId: string | undefined;

  constructor(options: FairleadErrorOptions & { readonly requestId?: string | undefined }) {
    super(options);
    this.requestId = options.requestId;
  }
}

export function hubUnreachable(baseUrl: string, cause: unknown): HubError {
  return new HubError({
    code: "API_UNREACHABLE",
    message: `The hub at ${baseUrl} can't be reached: ${reasonOf(cause)}.`,
    hint: "Check that the hub runs and that its address is right.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

/** The hub's own problem, or one made up for an answer that something between us and the hub gave. */
export function hubAnswered(answer: { status: number; body: string; requestId: string }): HubError {
  const problem = problemSchema.safeParse(parseJson(answer.body)).data;
  if (problem) {
    return new HubError({
      code: problem.code,
      message: problem.detail,
      hint: problem.hint,
      httpStatus: answer.status,
      retryable: answer.status >= 500,
      requestId: problem.requestId ?? answer.requestId,
    });
  }
  return new HubError({
    code: "API_ANSWER_FOREIGN",
    message: `The answer (HTTP ${answer.status}) doesn't come from a Fairlead hub.`,
    hint: "Check the hub's address; a proxy or load balancer on the way may have answered in its place.",
    httpStatus: answer.status,
    retryable: answer.status >= 500,
    requestId: answer.requestId,
  });
}

/** What the hub said when it ended a live subscription. */
export function liveEnded({ code, message }: { readonly code: string; readonly message: string }): HubError {
  // What is wrong with the question itself stays wrong; rights, sign-ins and the hub's own trouble pass.
  const isOwnFault = code.startsWith("OBJECTS_");
  return new HubError({ code, message, httpStatus: isOwnFault ? 400 : 503, retryable: !isOwnFault });
}

export function answerInvalid(what: string, requestId: string, error?: z.ZodError): HubError {
  const issue = error?.issues[0];
  const where = issue ? ` at '${issue.path.join(".")}' (${issue.message})` : "";
  return new HubError({
    code: "API_ANSWER_INVALID",
    message: `The hub's answer to ${what} isn't what this version expects${where}.`,
    hint: "Client and hub may be too far apart in version: compare them with 'fairlead version'.",
    httpStatus: 502,
    requestId,
  });
}

/** `undefined` for what isn't JSON: no JSON text stands for it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "no reason given";
  // `fetch` hides the reason one level down; a name with several addresses gives one error per address.
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const first = inner instanceof AggregateError ? inner.errors[0] : inner;
  const text = first instanceof Error ? first.message : inner.message;
  return text.replace(/\.$/, "") || "no reason given";
}
