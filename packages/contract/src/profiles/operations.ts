import type { Operation } from "../operation.ts";
import { profileChoiceListSchema, profileChoiceSchema, putProfileChoiceRequestSchema } from "./choice.ts";
import { profileDetailSchema, profileListSchema, putProfileRequestSchema } from "./profile.ts";

const common = { method: "get", needsToken: true } as const;
const profile = { status: 200, description: "The profile", body: profileDetailSchema } as const;
const choice = { status: 200, description: "What the cluster is examined by", body: profileChoiceSchema } as const;

export const profileOperations: readonly Operation[] = [
  {
    ...common,
    id: "listProfiles",
    path: "/api/v1/profiles",
    summary: "Profiles that one may look at, and those that come with Fairlead",
    success: { status: 200, description: "Profiles by name", body: profileListSchema },
  },
  {
    ...common,
    id: "getProfile",
    path: "/api/v1/profiles/{name}",
    summary: "One profile as it was written",
    success: profile,
  },
  {
    ...common,
    id: "putProfile",
    method: "put",
    path: "/api/v1/profiles/{name}",
    summary: "Make a profile, or put another one in its place",
    request: putProfileRequestSchema,
    success: profile,
  },
  {
    ...common,
    id: "removeProfile",
    method: "delete",
    path: "/api/v1/profiles/{name}",
    summary: "Remove a profile that no cluster is examined by",
    success: { status: 204, description: "Gone" },
  },
  {
    ...common,
    id: "listProfileChoices",
    path: "/api/v1/profile-choices",
    summary: "What clusters are examined by, of those for which somebody has chosen and that the caller may see",
    success: { status: 200, description: "Choices by cluster", body: profileChoiceListSchema },
  },
  {
    ...common,
    id: "getProfileChoice",
    path: "/api/v1/clusters/{name}/profile",
    summary: "What a cluster is examined by",
    success: choice,
  },
  {
    ...common,
    id: "putProfileChoice",
    method: "put",
    path: "/api/v1/clusters/{name}/profile",
    summary: "Choose what a cluster is examined by",
    request: putProfileChoiceRequestSchema,
    success: choice,
  },
];
