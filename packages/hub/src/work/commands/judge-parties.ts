// Judges again, from memory, whether those who asked for a command and approved it still may: at each approval, and when
// an agent claims it.
import type { FairleadError } from "@fairlead/kernel";
import type { Access, Principal } from "../../people/access/index.ts";
import { type KeptAsker, readAsker } from "./askers.ts";
import type { CommandEvent } from "./command-state.ts";
import { commandErrors } from "./errors.ts";
import type { CommandRights } from "./rights.ts";
import type { CommandRow } from "./rows.ts";
import type { TemplateUses } from "./template-uses.ts";

export type JudgedRow = Pick<
  CommandRow,
  "cluster" | "template" | "requester" | "asker" | "is_proposal" | "plan_approver" | "plan_epoch"
>;

export interface KeptApproval {
  readonly approver: string;
  readonly approver_uid: string;
  readonly asker: string;
}

export interface Verdict {
  /** Undefined: the requester still may ask for it. */
  readonly trouble: FairleadError | undefined;
  /** These don't count any more. */
  readonly lost: readonly KeptApproval[];
  /** Whoever approved that it is planned may not any more, and it isn't planned yet. */
  readonly isPlanningLost: boolean;
}

export type JudgeParties = (
  row: JudgedRow,
  parties: { readonly kinds: readonly string[]; readonly approvals: readonly KeptApproval[] },
) => Verdict;

export function createPartyJudge(ports: {
  readonly access: Pick<Access, "recall">;
  readonly rights: Pick<CommandRights, "may">;
  readonly templates: Pick<TemplateUses, "mayUse">;
}): JudgeParties {
  const { access, rights, templates } = ports;
  return (row, { kinds, approvals }) => {
    const isFit = isStill(readAsker(row.asker), (principal) => mayAsk(principal, row, kinds));
    return {
      trouble: isFit ? undefined : commandErrors.COMMAND_REQUESTER_UNFIT({ requester: row.requester }),
      lost: approvals.filter(
        ({ asker }) => !isStill(readAsker(asker), (principal) => mayAll(principal, "approve", row, kinds)),
      ),
      isPlanningLost:
        row.plan_epoch === null &&
        row.plan_approver !== null &&
        !isStill(readAsker(row.plan_approver), (principal) => mayAll(principal, "create", row, kinds)),
    };
  };

  function isStill(asker: KeptAsker, may: (principal: Principal) => boolean): boolean {
    const principal = access.recall(asker);
    return principal !== undefined && may(principal);
  }

  function mayAsk(principal: Principal, row: JudgedRow, kinds: readonly string[]): boolean {
    if (row.template !== null && !templates.mayUse(principal, row.template, row.cluster)) return false;
    // What isn't a proposal is planned as a whole at once, so it takes the right that it took.
    if (!row.is_proposal) return mayAll(principal, "create", row, kinds);
    return row.template !== null || kinds.every((kind) => mayEither(principal, { cluster: row.cluster, kind }));
  }

  function mayEither(principal: Principal, place: { readonly cluster: string; readonly kind: string }): boolean {
    return rights.may(principal, "propose", place) || rights.may(principal, "create", place);
  }

  function mayAll(
    principal: Principal,
    verb: "create" | "approve",
    { cluster }: JudgedRow,
    kinds: readonly string[],
  ): boolean {
    return kinds.every((kind) => rights.may(principal, verb, { cluster, kind }));
  }
}

/** True: all is as it was when they decided. */
export function isUpheld({ trouble, lost, isPlanningLost }: Verdict): boolean {
  return trouble === undefined && lost.length === 0 && !isPlanningLost;
}

export function toEvent({ trouble, lost, isPlanningLost }: Verdict): CommandEvent {
  if (trouble) return { type: "requester-unfit" };
  return isPlanningLost ? { type: "plan-approval-lost" } : { type: "approvals-lost", lost: lost.length };
}
