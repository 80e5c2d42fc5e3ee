import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { clusterNameParameter } from "../parameters.ts";
import { profileChoiceListSchema, profileChoiceSchema, putProfileChoiceRequestSchema } from "./choice.ts";
import { profileDetailSchema, profileListSchema, profileNameSchema, putProfileRequestSchema } from "./profile.ts";

const name = z.string().describe("Name of the profile");
const profile = { status: 200, description: "The profile", body: profileDetailSchema } as const;
const choice = { status: 200, description: "What the cluster is examined by", body: profileChoiceSchema } as const;

export const profileOperations = defineOperations({
  listProfiles: {
    method: "GET",
    path: "/api/v1/profiles",
    summary: "Profiles that one may look at, and those that come with Fairlead",
    success: { status: 200, description: "Profiles by name", body: profileListSchema },
  },
  getProfile: {
    method: "GET",
    path: "/api/v1/profiles/{name}",
    summary: "One profile as it was written",
    params: { name },
    success: profile,
    errors: ["PROFILE_NOT_FOUND"],
    right: "get profiles/{name}, except of profiles that come with Fairlead",
  },
  putProfile: {
    method: "PUT",
    path: "/api/v1/profiles/{name}",
    summary: "Make a profile, or put another one in its place",
    params: { name: profileNameSchema.describe("Name of the profile, the same as in its content") },
    request: putProfileRequestSchema,
    success: profile,
    errors: [
      "PROFILE_REQUEST_INVALID",
      "DOCTOR_PROFILE_INVALID",
      "PROFILE_NAME_DIFFERS",
      "PROFILE_BUILT_IN",
      "PROFILE_TOO_MANY",
    ],
    right: "create or update profiles/{name}",
  },
  removeProfile: {
    method: "DELETE",
    path: "/api/v1/profiles/{name}",
    summary: "Remove a profile that no cluster is examined by",
    params: { name },
    success: { status: 204, description: "Gone" },
    errors: ["PROFILE_NOT_FOUND", "PROFILE_BUILT_IN", "PROFILE_IN_USE"],
    right: "delete profiles/{name}",
  },
  listProfileChoices: {
    method: "GET",
    path: "/api/v1/profile-choices",
    summary: "What clusters are examined by, of those for which somebody has chosen and that the caller may see",
    success: { status: 200, description: "Choices by cluster", body: profileChoiceListSchema },
  },
  getProfileChoice: {
    method: "GET",
    path: "/api/v1/clusters/{name}/profile",
    summary: "What a cluster is examined by",
    params: { name: clusterNameParameter },
    success: choice,
    errors: ["PROFILE_CLUSTER_NOT_FOUND"],
    right: "get clusters",
  },
  putProfileChoice: {
    method: "PUT",
    path: "/api/v1/clusters/{name}/profile",
    summary: "Choose what a cluster is examined by",
    params: { name: clusterNameParameter },
    request: putProfileChoiceRequestSchema,
    success: choice,
    errors: ["PROFILE_REQUEST_INVALID", "PROFILE_CLUSTER_NOT_FOUND", "PROFILE_NOT_FOUND"],
    right: "update clusters/profile",
  },
});
