export { createLinkRegistry, type LinkRegistry } from "./registry.ts";
export { createLinkService, type LinkService, type LinkServiceOptions } from "./service.ts";
export type { HelloFacts, LinkPresence, LiveLink } from "./types.ts";
