import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_DENIED: {
    httpStatus: 403,
    message: "{who} may not {what}.",
    hint: "`fairlead access explain` says which role is missing; an admin of the hub can bind it.",
  },
  ACCESS_ESCALATION: {
    httpStatus: 403,
    message: "Nobody can give rights that they don't have themselves: {what}.",
    hint: "Ask someone who has them.",
  },
  ACCESS_GROUPS_OLD: {
    httpStatus: 403,
    message: "{who} last signed in at {signedInAt}, so the hub doesn't know whether their groups still apply.",
    hint: "Sign in again, or set `--absent-groups-max-age` of the hub.",
  },
  ACCESS_ROBOT_TOKEN_OVER: {
    httpStatus: 403,
    message: "The token with which {who} asked for this has expired or was revoked.",
    hint: "Ask for it again with a new token of the robot.",
  },
  ACCESS_UNRECORDED: {
    httpStatus: 403,
    message: "A user who is recorded can't let others do the same unrecorded: {what}.",
    hint: "Bind it with `--record`, or ask someone who isn't recorded.",
  },
} as const;

export const accessErrors: Errors<typeof table> = defineErrors(table);
