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
  ACCESS_UNRECORDED: {
    httpStatus: 403,
    message: "A user who is recorded can't let others do the same unrecorded: {what}.",
    hint: "Bind it with `--record`, or ask someone who isn't recorded.",
  },
} as const;

export const accessErrors: Errors<typeof table> = defineErrors(table);
