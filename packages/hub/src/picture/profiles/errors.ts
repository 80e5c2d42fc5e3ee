import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  PROFILE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/guides/doctor.md describes profiles, and the hub's OpenAPI document every call.",
    meaning: "The request isn't what the call takes; the message says where.",
  },
  PROFILE_NAME_DIFFERS: {
    httpStatus: 400,
    message: "The profile's own name is '{written}', and the request's is '{name}'.",
    hint: "Write the same name in both.",
    meaning: "The name in the profile differs from the name in the request.",
  },
  PROFILE_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no profile '{name}', or it is none that you may see.",
    hint: "`fairlead profile list` lists the profiles.",
    meaning: "There is no such profile, or you may not see it.",
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
    meaning: "A profile was to be removed that clusters are examined by.",
  },
  PROFILE_TOO_MANY: {
    httpStatus: 429,
    message: "The hub has {limit} profiles already, and keeps no more.",
    hint: "Remove one that no cluster is examined by.",
    meaning: "The hub has 100 profiles already, and keeps no more.",
  },
  PROFILE_CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such cluster.",
    hint: "`fairlead cluster list` lists them.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);
