export { discoverApis } from "./discovery.ts";
export type { ApiCatalogue, UnavailableApi } from "./types.ts";
