import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ROBOT_EXISTS: {
    httpStatus: 409,
    message: "A robot named {name} already exists.",
    hint: "Choose another name, or create a token for the existing robot.",
  },
  ROBOT_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no robot with this name.",
    hint: "List the robots: `fairlead access robot list`.",
    remedy: "List the robots with `fairlead access robot list`, or create one with `fairlead access robot create`.",
  },
  ROBOT_TOKEN_NOT_FOUND: {
    httpStatus: 404,
    message: "The robot has no token with this ID.",
    hint: "List its tokens: `fairlead access robot get NAME`.",
  },
  ROBOT_TOKEN_TOO_LONG: {
    httpStatus: 422,
    message: "The token's lifetime exceeds the maximum of {maxMs} milliseconds.",
    hint: "Request a shorter lifetime. The limits are the robot's maximum lifetime and, if a robot's token makes the request, that token's remaining lifetime.",
    meaning: "The requested lifetime exceeds the robot's maximum, or outlasts the robot token that made the request.",
    remedy: "Request a shorter lifetime, or create a robot with a longer `ttlMs`.",
  },
} as const;

export const robotErrors: Errors<typeof table> = defineErrors(table);
