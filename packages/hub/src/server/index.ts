export { routeAgents } from "./agents.ts";
export { createApp } from "./app.ts";
export { endSoon } from "./end-soon.ts";
export { createListener, parseListen, startListening, stopListening } from "./listener.ts";
export { routePeople } from "./people.ts";
export type { ApiCounters } from "./problems.ts";
export { createTrustedProxies, readRemoteAddress } from "./remote-address.ts";
export { addOpenRoutes, addSignedInRoutes, requirePrincipal } from "./routes.ts";
export { type KeyPair, watchTlsFiles } from "./tls-files.ts";
