import type { CallOptions, Send } from "../send.ts";
import {
  type ProfileChoice,
  type ProfileChoiceList,
  type PutProfileChoiceRequest,
  profileChoiceListSchema,
  profileChoiceSchema,
} from "./choice.ts";
import { profilePaths as paths } from "./paths.ts";
import {
  type FitnessProfileDetail,
  type FitnessProfileList,
  type PutFitnessProfileRequest,
  profileDetailSchema,
  profileListSchema,
} from "./profile.ts";

export interface ProfileCalls {
  listProfiles(options?: CallOptions): Promise<FitnessProfileList>;
  getProfile(name: string, options?: CallOptions): Promise<FitnessProfileDetail>;
  /** Clusters that are examined by it get another generation. */
  putProfile(name: string, request: PutFitnessProfileRequest, options?: CallOptions): Promise<FitnessProfileDetail>;
  removeProfile(name: string, options?: CallOptions): Promise<void>;
  /** Clusters for which nobody has chosen aren't among them. */
  listProfileChoices(options?: CallOptions): Promise<ProfileChoiceList>;
  getProfileChoice(cluster: string, options?: CallOptions): Promise<ProfileChoice>;
  putProfileChoice(cluster: string, request: PutProfileChoiceRequest, options?: CallOptions): Promise<ProfileChoice>;
}

export function createProfileCalls(send: Send): ProfileCalls {
  const get = { method: "GET" };
  const put = { method: "PUT" };
  return {
    listProfiles: (call) => send({ ...call, ...get, path: paths.profiles, answer: profileListSchema }),
    getProfile: (name, call) => send({ ...call, ...get, path: paths.profile(name), answer: profileDetailSchema }),
    putProfile: (name, body, call) =>
      send({ ...call, ...put, path: paths.profile(name), body, answer: profileDetailSchema }),
    removeProfile: (name, call) => send({ ...call, method: "DELETE", path: paths.profile(name) }),
    listProfileChoices: (call) => send({ ...call, ...get, path: paths.choices, answer: profileChoiceListSchema }),
    getProfileChoice: (cluster, call) =>
      send({ ...call, ...get, path: paths.choice(cluster), answer: profileChoiceSchema }),
    putProfileChoice: (cluster, body, call) =>
      send({ ...call, ...put, path: paths.choice(cluster), body, answer: profileChoiceSchema }),
  };
}
