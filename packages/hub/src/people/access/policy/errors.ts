import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_DENIED: {
    httpStatus: 403,
    message: "{who} may not {what}.",
    hint: "`fairlead access explain` says which role is missing; an admin of the hub can bind it.",
    meaning: "The hub's policy doesn't allow the caller this request to the hub.",
  },
  ACCESS_ESCALATION: {
    httpStatus: 403,
    message: "Nobody can give rights that they don't have themselves: {what}.",
    hint: "Ask someone who has them.",
    meaning:
      "Someone gives a right (a binding, a role, a robot's token) that they don't have themselves on all those clusters.",
  },
  ACCESS_GROUPS_OLD: {
    httpStatus: 403,
    message: "{who} last signed in at {signedInAt}, so the hub doesn't know whether their groups still apply.",
    hint: "Sign in again, or set `--absent-groups-max-age` of the hub.",
    meaning:
      "A schedule, rollout or stack didn't go on for a user, whose latest sign-in is longer ago than `--absent-groups-max-age`: their groups may have changed since.",
  },
  ACCESS_ROBOT_TOKEN_OVER: {
    httpStatus: 403,
    message: "The token with which {who} asked for this has expired or was revoked.",
    hint: "Ask for it again with a new token of the robot.",
    meaning:
      "A schedule, rollout or stack didn't go on for a robot: the token that it asked with has expired or was revoked.",
  },
  ACCESS_UNRECORDED: {
    httpStatus: 403,
    message: "A user who is recorded can't let others do the same unrecorded: {what}.",
    hint: "Bind it with `--record`, or ask someone who isn't recorded.",
    meaning:
      "A user who is recorded gives the same to others unrecorded, widens a role that is bound unrecorded, or takes away the binding by which it is recorded while another gives the same.",
  },
} as const;

export const accessErrors: Errors<typeof table> = defineErrors(table);
