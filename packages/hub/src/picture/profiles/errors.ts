import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  PROFILE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/guides/doctor.md for profiles, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says where.",
  },
  PROFILE_NAME_DIFFERS: {
    httpStatus: 400,
    message: "The profile's name is '{written}', but the request's is '{name}'.",
    hint: "Use the same name in both.",
    meaning: "The name in the profile differs from the name in the request.",
  },
  PROFILE_NOT_FOUND: {
    httpStatus: 404,
    message: "The profile '{name}' doesn't exist, or you can't see it.",
    hint: "List the profiles: `fairlead profile list`.",
    meaning: "The profile doesn't exist, or the caller can't see it.",
  },
  PROFILE_BUILT_IN: {
    httpStatus: 409,
    message: "The profile '{name}' is built in and can't be changed or removed.",
    hint: "Create a profile with another name that extends it.",
  },
  PROFILE_IN_USE: {
    httpStatus: 409,
    message: "The profile '{name}' is in use by clusters: {count}.",
    hint: "Choose another profile for them first: `fairlead cluster set CLUSTER --fitness-profile fairlead`.",
    meaning: "Clusters use the profile, so it can't be removed.",
  },
  PROFILE_TOO_MANY: {
    httpStatus: 429,
    message: "The hub has {limit} profiles, which is the maximum.",
    hint: "Remove a profile that no cluster uses.",
    meaning: "The hub has 100 profiles, which is the maximum.",
  },
  PROFILE_CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "The cluster doesn't exist.",
    hint: "List the clusters: `fairlead cluster list`.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);
