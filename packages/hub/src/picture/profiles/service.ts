// Serves what people ask about profiles, and about what clusters are examined by.
import { setImmediate } from "node:timers/promises";
import {
  type FitnessProfile,
  type FitnessProfileDetail,
  type FitnessProfileList,
  type ProfileChoice,
  type ProfileChoiceList,
  type PutFitnessProfileRequest,
  type PutProfileChoiceRequest,
  usualProfile,
} from "@fairlead/contract";
import { builtInProfiles, parseProfile } from "@fairlead/doctor";
import { stringify } from "yaml";
import type { Access, Principal } from "../../people/access/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { profileErrors } from "./errors.ts";
import type { ChoiceRow, ProfileRow, ProfileStore } from "./store.ts";

export interface Profiles {
  list(principal: Principal): Promise<FitnessProfileList>;
  /** Throws PROFILE_NOT_FOUND. */
  get(principal: Principal, name: string): Promise<FitnessProfileDetail>;
  /** Throws ACCESS_DENIED, DOCTOR_PROFILE_INVALID, PROFILE_BUILT_IN, PROFILE_NAME_DIFFERS, PROFILE_TOO_MANY. */
  put(principal: Principal, name: string, request: PutFitnessProfileRequest): Promise<FitnessProfileDetail>;
  /** Throws ACCESS_DENIED, PROFILE_BUILT_IN, PROFILE_IN_USE, PROFILE_NOT_FOUND. */
  remove(principal: Principal, name: string): Promise<void>;
  listChoices(principal: Principal): Promise<ProfileChoiceList>;
  /** Throws ACCESS_DENIED, PROFILE_CLUSTER_NOT_FOUND. */
  getChoice(principal: Principal, cluster: string): Promise<ProfileChoice>;
  /** Throws ACCESS_DENIED, PROFILE_CLUSTER_NOT_FOUND, PROFILE_NOT_FOUND. */
  choose(principal: Principal, cluster: string, request: PutProfileChoiceRequest): Promise<ProfileChoice>;
}

export function createProfiles(ports: {
  readonly store: ProfileStore;
  readonly access: Pick<Access, "may" | "require">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
}): Profiles {
  const { store, access, clusters } = ports;
  return {
    async list(principal) {
      const rows = (await store.list()).filter(({ name }) => mayGet(principal, name));
      return { items: [...builtIns, ...rows.map(toProfile)] };
    },

    async get(principal, name) {
      const builtIn = findBuiltIn(name);
      if (builtIn) return { ...toBuiltIn(name), content: stringify(builtIn) };
      const row = mayGet(principal, name) ? await store.find(name) : undefined;
      if (!row) throw profileErrors.PROFILE_NOT_FOUND({ name });
      return toDetail(row);
    },

    async put(principal, name, { content }) {
      const isThere = (await store.find(name)) !== undefined;
      access.require(principal, { verb: isThere ? "update" : "create", resource: resourceOf(name) });
      refuseBuiltIn(name);
      const { name: written } = parseProfile(content, "profile");
      if (written !== name) throw profileErrors.PROFILE_NAME_DIFFERS({ written, name });
      return toDetail(await store.put({ name, content, changed_by: principal.name }));
    },

    async remove(principal, name) {
      access.require(principal, { verb: "delete", resource: resourceOf(name) });
      refuseBuiltIn(name);
      await store.remove(name);
    },

    async listChoices(principal) {
      const items: ProfileChoice[] = [];
      for (const [index, row] of (await store.listChoices()).entries()) {
        // Others have their turns in between.
        if (index % turnSize === turnSize - 1) await setImmediate();
        const { cluster } = row;
        if (access.may(principal, { verb: "get", resource: "clusters", cluster })) items.push(toChoice(cluster, row));
      }
      return { items };
    },

    async getChoice(principal, cluster) {
      await meet(principal, { verb: "get", resource: "clusters", cluster });
      return toChoice(cluster, await store.findChoice(cluster));
    },

    async choose(principal, cluster, { profile }) {
      await meet(principal, { verb: "update", resource: "clusters/profile", cluster });
      const isBuiltIn = findBuiltIn(profile) !== undefined;
      if (!isBuiltIn && !mayGet(principal, profile)) throw profileErrors.PROFILE_NOT_FOUND({ name: profile });
      return toChoice(cluster, await store.choose({ cluster, profile, isBuiltIn, changed_by: principal.name }));
    },
  };

  /** A profile that somebody may not see isn't there for him. */
  function mayGet(principal: Principal, name: string): boolean {
    return access.may(principal, { verb: "get", resource: resourceOf(name) });
  }

  async function meet(principal: Principal, request: ClusterRequest): Promise<void> {
    access.require(principal, request);
    await clusters.meet(request.cluster);
    if (!clusters.exists(request.cluster)) throw profileErrors.PROFILE_CLUSTER_NOT_FOUND();
  }
}

interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  readonly cluster: string;
}

function resourceOf(name: string): string {
  return `profiles/${name}`;
}

function refuseBuiltIn(name: string): void {
  if (findBuiltIn(name)) throw profileErrors.PROFILE_BUILT_IN({ name });
}

function findBuiltIn(name: string) {
  return builtInProfiles.find((profile) => profile.name === name);
}

function toBuiltIn(name: string): FitnessProfile {
  return { name, isBuiltIn: true };
}

const builtIns = builtInProfiles.map(({ name }) => toBuiltIn(name));

function toProfile({ name, changed_at, changed_by: changedBy }: Omit<ProfileRow, "content">): FitnessProfile {
  return { name, isBuiltIn: false, changedAt: changed_at.toISOString(), changedBy };
}

function toDetail(row: ProfileRow): FitnessProfileDetail {
  return { ...toProfile(row), content: row.content };
}

function toChoice(cluster: string, row: ChoiceRow | undefined): ProfileChoice {
  if (!row) return { cluster, profile: usualProfile, generation: 0 };
  const { profile, generation, changed_at, changed_by: changedBy } = row;
  return { cluster, profile, generation: Number(generation), changedAt: changed_at.toISOString(), changedBy };
}

const turnSize = 1_000;
