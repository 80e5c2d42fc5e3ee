import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ROBOT_EXISTS: {
    httpStatus: 409,
    message: "There is a robot named {name} already.",
    hint: "Choose another name, or make a token for the one that is there.",
  },
  ROBOT_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no robot of this name.",
    hint: "`fairlead access robot list` shows the ones there are.",
    meaning: "The hub knows no robot of this name, be it to show or to bind.",
    remedy: "`fairlead access robot list` shows the names; `fairlead access robot create` makes one.",
  },
  ROBOT_TOKEN_NOT_FOUND: {
    httpStatus: 404,
    message: "The robot has no token of this id.",
    hint: "`fairlead access robot get NAME` shows the ones it has.",
    remedy: "Look at the robot's tokens.",
  },
  ROBOT_TOKEN_TOO_LONG: {
    httpStatus: 422,
    message: "A token for this may live for {maxMs} milliseconds at most.",
    hint: "Ask for a shorter life. The longest was set when the robot was made; a robot's own token is its limit, too.",
    meaning: "A token is to live longer than the robot's tokens may, or than the robot's token that asks for it.",
    remedy: "Ask for less, or make a robot with a longer `ttlMs`.",
  },
} as const;

export const robotErrors: Errors<typeof table> = defineErrors(table);
