// A command to be queued, as it is asked for.
import type { Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandWhole } from "./rows.ts";
import type { UsedTemplate } from "./template-uses.ts";

export interface NewCommand {
  readonly cluster: string;
  readonly kind: string;
  readonly target: string;
  readonly namespace: string;
  /** JSON. */
  readonly spec: string;
  readonly dryRun: boolean;
  /** `NAMESPACE/NAME`; undefined: with the agent's own rights. */
  readonly serviceAccount?: string | undefined;
  readonly requester: CommandRequester;
  readonly deadlineSeconds: number;
  readonly priority: number;
  readonly idempotencyKey?: string | undefined;
  readonly retryOf?: string | undefined;
  readonly template?: UsedTemplate | undefined;
  /** Absent: nobody is asked. */
  readonly approvals?: WantedApprovals;
  /** Absent: the requester may create it. */
  readonly proposal?: { readonly isVouched: boolean } | undefined;
  readonly part?: CommandPart | undefined;
  /** The span that it was submitted in. */
  readonly traceParent?: string;
}

export interface CommandRequester {
  readonly name: string;
  readonly uid: string;
  /** As `keepAsker` writes it. */
  readonly asker: string;
}

export interface WantedApprovals {
  readonly required: number;
  readonly fourEyes: boolean;
  readonly seconds: number;
}

/** A command that is made as a part of something larger, in one transaction with what that writes down of it. */
export interface CommandPart {
  readonly whole: CommandWhole;
  /** Before it is made. False: it isn't to be made any more. */
  admit(trx: Transaction<Tables>): Promise<boolean>;
  note(trx: Transaction<Tables>, id: string): Promise<void>;
}

export interface QueueLimits {
  readonly commands: number;
  readonly bytes: number;
}
