import {
  defineErrors,
  type Errors,
  FairleadError,
  type FairleadErrorOptions,
  type Problem,
  parseExactJson,
} from "@fairlead/kernel";
import type { z } from "zod";
import { questionCodes, runQuestionCodes } from "./hub-codes.ts";

/** An error that came from a call to the hub: what the hub said, or why nothing useful was said. */
export class HubError extends FairleadError {
  /** Under this id the hub's log has the details. */
  readonly requestId: string | undefined;

  constructor(options: FairleadErrorOptions, requestId?: string) {
    super(options);
    this.requestId = requestId;
  }
}

const table = {
  API_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub at {baseUrl} can't be reached: {reason}.",
    hint: "Check that the hub runs and that its address is right.",
    meaning: "The client couldn't connect to the hub, or the connection broke before the response.",
    remedy: "Check that the hub runs, its address, and the network or proxy in between. Then retry.",
  },
  API_ANSWER_FOREIGN: {
    message: "The response (HTTP {status}) isn't from a Fairlead hub.",
    hint: "Check the hub's address; a proxy or load balancer may have responded instead.",
    meaning: "An error response isn't from a Fairlead hub: a proxy or load balancer responded instead.",
    remedy: "Check the hub's address and the proxies in front of it.",
  },
  API_CLUSTER_REFUSED: {
    message: "{message}",
    hint: "The message is the cluster's own. See your rights at the hub with `fairlead access explain`.",
    meaning: "A cluster's own API, or the hub in its place, rejected a request; the message is theirs.",
  },
  API_ANSWER_INVALID: {
    httpStatus: 502,
    message: "The hub's response to {what} isn't valid for this version{where}.",
    hint: "Client and hub may be too far apart in version: compare them with 'fairlead version'.",
    meaning: "The hub's response isn't valid for this version of the client.",
    remedy: "Compare `fairlead version` of client and hub, and update the older one.",
  },
} as const;

const apiErrors: Errors<typeof table> = defineErrors(table);

/** The codes of failed calls that the hub itself didn't give. */
export type ApiCode = keyof typeof table;

export function hubUnreachable(baseUrl: string, cause: unknown): HubError {
  return new HubError(apiErrors.API_UNREACHABLE({ baseUrl, reason: reasonOf(cause), cause }));
}

/** The hub's own problem, or one made up for an answer that something between us and the hub gave. */
export function hubAnswered(answer: { status: number; body: string; requestId: string }): HubError {
  const said = parseJson(answer.body);
  if (isProblem(said)) {
    const { code, detail: message, hint, requestId = answer.requestId } = said;
    return new HubError({ code, message, hint, httpStatus: answer.status, retryable: answer.status >= 500 }, requestId);
  }
  const { status, requestId } = answer;
  if (isKubernetesStatus(said)) {
    const { message } = said;
    const refusal = apiErrors.API_CLUSTER_REFUSED({ message, httpStatus: status, retryable: status >= 500 });
    return new HubError(refusal, requestId);
  }
  const error = apiErrors.API_ANSWER_FOREIGN({ status, httpStatus: status, retryable: status >= 500 });
  return new HubError(error, requestId);
}

// Read by hand: browsers read errors, too, and do without zod.
function isProblem(value: unknown): value is Problem {
  const { type, title, status, code, detail, hint = "", requestId = "" } = toFields(value);
  return Number.isInteger(status) && [type, title, code, detail, hint, requestId].every(isText);
}

/** A cluster's API answers so, and the hub where it speaks in its place. */
function isKubernetesStatus(value: unknown): value is { readonly message: string } {
  const { kind, message } = toFields(value);
  return kind === "Status" && isText(message) && message !== "";
}

function toFields(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Makes the error of a live subscription that the hub ended. */
export function liveEnded({ code, message }: { readonly code: string; readonly message: string }): HubError {
  // A fault of the question itself stays; rights, sign-ins and the hub's own trouble pass.
  const isOwnFault = [...questionCodes, ...runQuestionCodes].some((known) => known === code);
  return new HubError({ code, message, httpStatus: isOwnFault ? 400 : 503, retryable: !isOwnFault });
}

export function answerInvalid(what: string, requestId: string, error?: z.ZodError): HubError {
  const issue = error?.issues[0];
  const where = issue ? ` at '${issue.path.join(".")}' (${issue.message})` : "";
  return new HubError(apiErrors.API_ANSWER_INVALID({ what, where }), requestId);
}

/** `undefined` for what isn't JSON: no JSON text stands for it. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
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
