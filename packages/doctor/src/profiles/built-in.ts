import { fairlead } from "./fairlead.ts";
import type { Profile } from "./profile.ts";
import { truefoundry } from "./truefoundry.ts";

export const builtInProfiles: readonly Profile[] = [fairlead, truefoundry];

export function findBuiltInProfile(name: string): Profile | undefined {
  return builtInProfiles.find((profile) => profile.name === name);
}
