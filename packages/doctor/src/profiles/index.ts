export { fairlead } from "./fairlead.ts";
export type { PoolDemand, Profile } from "./profile.ts";
