// Reads what the hub wants the cluster to be examined by, as this version of the agent understands it.
import { builtInProfiles, fairlead, type Profile, parseProfile } from "@fairlead/doctor";
import { doctorErrors } from "./errors.ts";

export interface ExamineOrder {
  readonly generation: bigint;
  /** A profile's name. */
  readonly profile: string;
  /** YAML; empty for one that every agent has. */
  readonly content: string;
}

export interface ReadOrder {
  readonly order: ExamineOrder;
  readonly generation: number;
  readonly profile: Profile;
}

/** Throws DOCTOR_PROFILE_INVALID, DOCTOR_PROFILE_UNKNOWN: the hub is newer, or has read the profile by other rules. */
export function readOrder(order: ExamineOrder): ReadOrder {
  return { order, generation: Number(order.generation), profile: readProfile(order) };
}

/** Until the hub has said anything. */
export const unlessTold: ReadOrder = readOrder({ generation: 0n, profile: fairlead.name, content: "" });

export function isSameOrder(one: ExamineOrder, other: ExamineOrder): boolean {
  return one.generation === other.generation && one.profile === other.profile && one.content === other.content;
}

function readProfile({ profile: name, content }: ExamineOrder): Profile {
  if (content !== "") return parseProfile(content, name);
  const builtIn = builtInProfiles.find((profile) => profile.name === name);
  if (!builtIn) throw doctorErrors.DOCTOR_PROFILE_UNKNOWN({ name });
  return builtIn;
}
