import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  PROFILE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/guides/doctor.md describes profiles, and the hub's OpenAPI document every call.",
  },
  PROFILE_NAME_DIFFERS: {
    httpStatus: 400,
    message: "The profile's own name is '{written}', and the request's is '{name}'.",
    hint: "Write the same name in both.",
  },
  PROFILE_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no profile '{name}', or it is none that you may see.",
    hint: "`fairlead profile list` lists the profiles.",
  },
  PROFILE_BUILT_IN: {
    httpStatus: 409,
    message: "The profile '{name}' comes with Fairlead, and nobody changes or removes it.",
    hint: "Write one of another name that extends it.",
  },
  PROFILE_IN_USE: {
    httpStatus: 409,
    message: "Clusters are examined by the profile '{name}': {count}.",
    hint: "Choose another one for them first: `fairlead cluster set CLUSTER --fitness-profile fairlead`.",
  },
  PROFILE_TOO_MANY: {
    httpStatus: 429,
    message: "The hub has {limit} profiles already, and keeps no more.",
    hint: "Remove one that no cluster is examined by.",
  },
  PROFILE_CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such cluster.",
    hint: "`fairlead cluster list` lists them.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);
