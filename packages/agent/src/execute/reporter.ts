// Tells the hub what becomes of one claimed command, in order, each step until it is answered.
import type { Clock, FairleadError } from "@fairlead/kernel";
import { KnownSecrets, Masked } from "../redact/index.ts";
import { maskError, type Outcome } from "./outcome.ts";
import type { RecordedPlan } from "./records/index.ts";
import type { ReportedStep, ReportSender } from "./send-reports.ts";

export interface Reporter {
  /** The number of the next report. */
  readonly sequence: number;
  /** Goes out behind those before it; nobody waits for the answer. A command that resolves at once doesn't say so. */
  progress(state: "resolving" | "running" | "applying"): void;
  /** The claim is over then. Resolves with whether the hub took it. */
  planned(plan: RecordedPlan): Promise<boolean>;
  /** The claim is over then: somebody has to approve that the command is planned. */
  planApprovalNeeded(why: FairleadError): Promise<boolean>;
  /** Resolves with whether the hub took it. */
  outcome(outcome: Outcome): Promise<boolean>;
}

export function createReporter(options: {
  readonly id: string;
  readonly epoch: bigint;
  readonly reports: ReportSender;
  /** The command isn't this agent's any more. */
  readonly onRefused: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Reporter {
  const { id, epoch, reports, onRefused, clock, signal } = options;
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
    planApprovalNeeded: (why) =>
      queue({ ...nothing, state: "plan-approval-needed", ...maskError(new KnownSecrets(), why) }),
    outcome: (outcome) => queue(outcome),
  };

  function tell(state: ReportedStep["state"]): void {
    void queue({ ...nothing, state }).then((isTaken) => isTaken || onRefused(), nobody);
  }

  function queue(step: ReportedStep): Promise<boolean> {
    takeBack();
    const mine = sequence++;
    const sent = last.then(() => reports.send({ id, epoch, sequence: mine, step }, signal));
    last = sent.catch(nobody);
    return sent;
  }
}

const nothing = { code: "", message: Masked.nothing, hint: Masked.nothing, result: Masked.nothing, logBytes: 0 };

function nobody(): void {}

const patienceMs = 100;
