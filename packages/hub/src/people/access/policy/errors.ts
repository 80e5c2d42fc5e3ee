import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_DENIED: {
    httpStatus: 403,
    message: "{who} isn't allowed to {what}.",
    hint: "Find the missing role with `fairlead access explain`, and ask an admin of the hub to bind it.",
    meaning: "The hub's policy doesn't allow the caller to make this request.",
  },
  ACCESS_ESCALATION: {
    httpStatus: 403,
    message: "You can't grant rights that you don't have: {what}.",
    hint: "Ask a user who has these rights.",
    meaning:
      "A binding, role or robot token would grant a right that the caller doesn't have on all the clusters it names.",
  },
  ACCESS_GROUPS_OLD: {
    httpStatus: 403,
    message: "{who} last signed in at {signedInAt}, so the hub can't tell whether their groups are current.",
    hint: "Sign in again, or raise the hub's `--absent-groups-max-age`.",
    meaning:
      "A schedule, rollout or stack stopped because its user last signed in longer ago than `--absent-groups-max-age`: the user's groups may have changed since.",
  },
  ACCESS_ROBOT_TOKEN_OVER: {
    httpStatus: 403,
    message: "The token that {who} used for this request has expired or was revoked.",
    hint: "Send the request again with a new token of the robot.",
    meaning: "A schedule, rollout or stack stopped because the robot token that created it has expired or was revoked.",
  },
  ACCESS_UNRECORDED: {
    httpStatus: 403,
    message: "A user whose sessions are recorded can't grant the same rights unrecorded: {what}.",
    hint: "Create the binding with `--record`, or ask a user whose sessions aren't recorded.",
    meaning:
      "A recorded user grants the same rights unrecorded, widens a role that is bound unrecorded, or removes the binding that requires recording while another binding grants the same rights.",
  },
} as const;

export const accessErrors: Errors<typeof table> = defineErrors(table);
