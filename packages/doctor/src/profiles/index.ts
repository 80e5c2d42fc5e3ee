export { builtInProfiles } from "./built-in.ts";
export { profileErrors } from "./errors.ts";
export { fairlead } from "./fairlead.ts";
export type { GatewayPreference } from "./gateway-preference.ts";
export { parseProfile } from "./parse-profile.ts";
export type { PoolDemand, Profile } from "./profile.ts";
export { profileJsonSchema } from "./profile-schema.ts";
export { truefoundry } from "./truefoundry.ts";
