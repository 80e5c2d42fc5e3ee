// Tells the hub what becomes of one claimed command, in order, each step until it is answered.
import { Code, ConnectError } from "@connectrpc/connect";
import type { Clock } from "@fairlead/kernel";
import type { CommandHub } from "./command-hub.ts";
import type { Outcome } from "./outcome.ts";
import type { RecordedPlan } from "./records/index.ts";

export interface Reporter {
  /** Of the next report. */
  readonly sequence: number;
  /** Goes out behind those before it; nobody waits for the answer. A command that resolves at once doesn't say so. */
  progress(state: "resolving" | "running" | "applying"): void;
  /** The claim is over then. Resolves with whether the hub took it. */
  planned(plan: RecordedPlan): Promise<boolean>;
  /** Resolves with whether the hub took it. */
  outcome(outcome: Outcome): Promise<boolean>;
}

export function createReporter(options: {
  readonly id: string;
  readonly epoch: bigint;
  readonly hub: CommandHub;
  /** The command isn't this agent's any more. */
  readonly onRefused: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Reporter {
  const { id, epoch, hub, onRefused, clock, signal } = options;
  let sequence = 1;
  let takeBack = (): void => undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get sequence() {
      return sequence;
    },
    progress(state) {
      takeBack();
      if (state === "resolving") takeBack = clock.after(patienceMs, () => tell(state));
      else tell(state);
    },
    planned: ({ json, digests }) => queue({ ...nothing, state: "planned", result: json, planDigest: digests.shown }),
    outcome: (outcome) => queue(outcome),
  };

  function tell(state: string): void {
    void queue({ ...nothing, state }).then((isTaken) => isTaken || onRefused(), nobody);
  }

  function queue(report: ReportedStep): Promise<boolean> {
    takeBack();
    const mine = sequence++;
    const sent = last.then(() => sendReport({ hub, id, epoch, sequence: mine, report, signal }));
    last = sent.catch(nobody);
    return sent;
  }
}

type ReportedStep = Omit<Outcome, "state"> & { readonly state: string; readonly planDigest?: string };

const nothing = { code: "", message: "", hint: "", result: "", logBytes: 0 };

/** Resolves with whether the hub took it; rejects only with the signal's reason. */
export async function sendReport(options: {
  readonly hub: CommandHub;
  readonly id: string;
  readonly epoch: bigint;
  readonly sequence: number;
  readonly report: ReportedStep;
  readonly signal: AbortSignal;
}): Promise<boolean> {
  const { hub, id, epoch, sequence, report, signal } = options;
  const { state, code, message, hint, logBytes, planDigest = "" } = report;
  let { result } = report;
  const answer = await hub.insist(
    (client, call) => {
      const resultJson = Buffer.from(result);
      const step = { id, epoch, sequence: BigInt(sequence), state, code, message, hint, resultJson, planDigest };
      return client.report({ ...step, logBytes: BigInt(logBytes) }, call).catch(unlessForgotten);
    },
    signal,
    (error) => {
      // A hub that can't take the result still has to know that the command is over.
      if (isTooMuch(ConnectError.from(error).code)) result = "";
    },
  );
  return answer.accepted;
}

/** A hub that doesn't know the command any more won't take it later either. */
function unlessForgotten(error: unknown): { readonly accepted: boolean } {
  if (ConnectError.from(error).code !== Code.NotFound) throw error;
  return { accepted: false };
}

function isTooMuch(code: Code): boolean {
  return code === Code.InvalidArgument || code === Code.ResourceExhausted;
}

function nobody(): void {}

const patienceMs = 100;
