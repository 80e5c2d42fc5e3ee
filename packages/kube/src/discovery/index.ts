export { discoverApis } from "./discovery.ts";
export { readVersion } from "./legacy.ts";
export type { ApiCatalogue, UnavailableApi } from "./types.ts";
