// Reports on their way to the hub. Those of several commands travel together: the first goes at once, and those that come
// while it is in progress go in the next call.
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { createRounds, orAbort } from "@fairlead/kernel";
import { Masked } from "../redact/index.ts";
import type { CommandClient, CommandHub, MaskedReport } from "./command-hub.ts";
import type { Outcome } from "./outcome.ts";

export type ReportedStep = Omit<Outcome, "state"> & {
  readonly state: Outcome["state"] | "resolving" | "running" | "applying" | "planned" | "plan-approval-needed";
  readonly planDigest?: string;
};

export interface Report {
  readonly id: string;
  readonly epoch: bigint;
  /** Within the epoch. */
  readonly sequence: number;
  readonly step: ReportedStep;
}

export interface ReportSender {
  /** Until it is answered: resolves with whether the hub took it. Rejects only with the signal's reason. */
  send(report: Report, signal: AbortSignal): Promise<boolean>;
}

export function createReportSender(hub: CommandHub): ReportSender {
  const tellInCompany = createRounds<Telling, Answer>({
    most: mostTogether,
    mostSize: mostBytesTogether,
    sizeOf: ({ report }) => report.step.result.text.length,
    async run(tellings) {
      const [first] = tellings;
      if (first === undefined || tellings.length === 1) return await Promise.all(tellings.map(tellAlone));
      const reports = tellings.map(({ report }) => toRequest(report));
      return (await first.client.reportAll({ reports }, { timeoutMs: callTimeoutMs })).answers;
    },
  });
  return {
    async send(given, signal) {
      let report = given;
      const answer = await hub.insist(
        async (client, call) => {
          const telling = { client, call, report };
          const told = await orAbort(tellInCompany(telling), signal);
          return told.alone ? await tellAlone(telling) : told;
        },
        signal,
        (error) => {
          // A hub that can't take the result still has to know that the command is over.
          if (isTooMuch(ConnectError.from(error).code))
            report = { ...given, step: { ...given.step, result: Masked.nothing } };
        },
      );
      return answer.accepted;
    },
  };
}

interface Telling {
  readonly client: CommandClient;
  readonly call: CallOptions;
  readonly report: Report;
}

interface Answer {
  readonly accepted: boolean;
  /** The hub says nothing about it in company. */
  readonly alone: boolean;
}

async function tellAlone({ client, call, report }: Telling): Promise<Answer> {
  try {
    const { accepted } = await client.report(toRequest(report), call);
    return { accepted, alone: false };
  } catch (error) {
    // A hub that doesn't know the command any more won't take it later either.
    if (ConnectError.from(error).code === Code.NotFound) return { accepted: false, alone: false };
    throw error;
  }
}

function toRequest({ id, epoch, sequence, step }: Report): MaskedReport {
  const { state, code, message, hint, result, logBytes, planDigest = "" } = step;
  return {
    id,
    epoch,
    sequence: BigInt(sequence),
    state,
    code,
    message: message.text,
    hint: hint.text,
    planDigest,
    resultJson: result.bytes,
    logBytes: BigInt(logBytes),
  };
}

function isTooMuch(code: Code): boolean {
  return code === Code.InvalidArgument || code === Code.ResourceExhausted;
}

/** As many as hubs take. */
const mostTogether = 64;
const mostBytesTogether = 1024 * 1024;
const callTimeoutMs = 30_000;
