export { fairlead } from "./fairlead.ts";
export type { GatewayPreference } from "./gateway-preference.ts";
export type { PoolDemand, Profile } from "./profile.ts";
