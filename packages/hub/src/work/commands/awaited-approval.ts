// The approval that a command waits for, for the rooms that keep it with the whole of which the command is a part.
import type { CommandApproval } from "@fairlead/contract";
import { type RawBuilder, sql } from "kysely";

/** Makes it from a row of `command`, in the form in which people see it. Null: the command doesn't wait. */
export const awaitedApproval: RawBuilder<CommandApproval | null> = sql`
  case
    when command.state in ('gated/awaiting-approval', 'proposed/awaiting-approval') then jsonb_strip_nulls(jsonb_build_object(
      'required', approvals_required, 'given', approvals_given, 'fourEyes', four_eyes, 'digest', plan_digest,
      'round', case when plan_round > 1 then plan_round end,
      'until', to_char(approval_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    ))
    when command.state = 'proposed/awaiting-plan-approval' then jsonb_build_object(
      'required', 1, 'given', 0, 'fourEyes', true, 'isToPlan', true,
      'until', to_char(approval_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )
  end
`;
