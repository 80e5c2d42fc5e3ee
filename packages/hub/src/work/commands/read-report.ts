// Reads an agent's report of a command.
import { isNestedDeeper } from "@fairlead/kernel";
import type { ReportRequest } from "@fairlead/protocol";
import { toStorableText } from "../../platform/store/index.ts";
import {
  type CommandEvent,
  type CommandState,
  isOutcome,
  isReportedState,
  isWaiting,
  judgeReport,
  type ReportedState,
} from "./command-state.ts";
import { commandErrors } from "./errors.ts";
import { callInvalid, readId, toCount } from "./read-call.ts";
import type { Happened, Happening } from "./store.ts";
import type { Told } from "./write-changes.ts";

export interface AgentReport {
  readonly cluster: string;
  readonly event: Extract<CommandEvent, { readonly type: "reported" }>;
  readonly happening: Happening;
}

/** Throws COMMAND_CALL_INVALID. */
export function readReport(cluster: string, request: ReportRequest): AgentReport {
  const { epoch, sequence } = request;
  const told = readTold(request);
  const event = { type: "reported", epoch: toCount(epoch), sequence: toCount(sequence), state: told.state } as const;
  return {
    cluster,
    event,
    happening: {
      id: readId(request.id),
      event,
      reason: told.why ?? told.code,
      holds: (row) => row.cluster === cluster,
      outcome: (after) => toKeep(told, after),
    },
  };
}

/** What was told when its plan was given up says more than that it is cancelled. */
function toKeep(told: ReportTold, after: CommandState): Told | undefined {
  if (after.is !== "ended") return isWaiting(after) ? told : undefined;
  const { result, logEnd } = told;
  return told.state === "cancelled" && after.outcome !== "cancelled" ? { result, logEnd } : told;
}

/** Undefined for one that can't be read. */
export function tryToRead(cluster: string, request: ReportRequest): AgentReport | undefined {
  try {
    return readReport(cluster, request);
  } catch (error) {
    if (commandErrors.is(error, "COMMAND_CALL_INVALID")) return undefined;
    throw error;
  }
}

export function isAccepted({ cluster, event }: AgentReport, happened: Happened | undefined): boolean {
  return happened?.row.cluster === cluster && judgeReport(happened.before, event) !== "refused";
}

interface ReportTold extends Told {
  readonly state: ReportedState;
  /** For the history. */
  readonly why?: string | undefined;
}

/** A report isn't refused for its size: the agent would send it for ever. */
function readTold(request: ReportRequest): ReportTold {
  const { state } = request;
  if (!isReportedState(state)) throw callInvalid("it names no state that an agent may report");
  if (state === "planned") return readPlan(request);
  return state === "plan-approval-needed" ? readHold(request) : { state, ...readOutcome(request) };
}

/** Nothing of it becomes the command's trouble, which it would still have once it is planned. */
function readHold(request: ReportRequest): ReportTold {
  const { code = "", message = "", hint } = readOutcome(request);
  if (code === "") throw callInvalid("it doesn't say why the command is held back");
  return { state: "plan-approval-needed", hold: JSON.stringify({ code, message, hint }), why: `${code}: ${message}` };
}

/** A plan that nobody can be shown can't be approved: that ends the command. */
function readPlan({ resultJson, planDigest: digest }: ReportRequest): ReportTold {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw callInvalid("it names no digest of a plan");
  const json = readResult(resultJson);
  if (json !== undefined) return { state: "planned", plan: { digest, json } };
  const { code, message, hint = "" } = commandErrors.COMMAND_PLAN_UNREADABLE({ limitBytes: maxResultBytes });
  return { state: "failed", code, message, hint };
}

function readOutcome(request: ReportRequest): Omit<Told, "plan"> {
  const { code, message, hint, resultJson, logBytes, state } = request;
  const result = isOutcome(state) ? readResult(resultJson) : undefined;
  return {
    ...(code === "" ? {} : { code: toStorableText(code, 64), message: toStorableText(message, 8_192) }),
    ...(code === "" || hint === "" ? {} : { hint: toStorableText(hint, 4_096) }),
    ...(result === undefined ? {} : { result }),
    logEnd: toCount(logBytes),
  };
}

/** Undefined for none, for one that is too large or too deep to be shown, and for what isn't JSON. */
function readResult(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength === 0 || bytes.byteLength > maxResultBytes) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return isNestedDeeper(JSON.parse(text), mostLevels) ? undefined : text;
  } catch {
    return undefined;
  }
}

const maxResultBytes = 1024 * 1024;
const mostLevels = 500;
