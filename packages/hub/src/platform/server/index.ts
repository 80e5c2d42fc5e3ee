export type { Additions } from "./additions.ts";
export { type LinkDoor, routeAgents } from "./agents.ts";
export { createApp } from "./app.ts";
export { type ConnectionBound, makeKnown } from "./connection-bound.ts";
export { createConnectionPool } from "./connection-pool.ts";
export { type HubIdentitySource, showHubIdentity } from "./hub-identity.ts";
export {
  createListener,
  createPlainListener,
  type HeadLimits,
  headsOfAgents,
  parseListen,
  sendClientsAway,
  startListening,
  stopListening,
  usualHeadBytes,
} from "./listener.ts";
export { createMetricsServer } from "./metrics-server.ts";
export { explainToAgents, explainToPeople } from "./other-listener.ts";
export { parseInput } from "./parse-input.ts";
export { type ClusterApi, headBytesOf, routePeople, type UpgradeRoute } from "./people.ts";
export type { SignedIn } from "./principal.ts";
export type { ApiCounters } from "./problems.ts";
export { createReaders, writeToReader } from "./readers.ts";
export { refuseUpgrade } from "./refuse-upgrade.ts";
export { createTrustedProxies, readRemoteAddress } from "./remote-address.ts";
export { addOpenRoutes, addSignedInRoutes, limitStrangers, requirePrincipal } from "./routes.ts";
export { answered, createServe, type ParseInput, parseOr, type Serve, type ServedCall } from "./serve.ts";
export { type KeyPair, watchTlsFiles } from "./tls-files.ts";
export { openAgentServer, openPeopleServer } from "./tls-servers.ts";
export { traceRequests } from "./trace-requests.ts";
