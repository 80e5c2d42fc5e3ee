export { chooseProxy } from "./choose-proxy.ts";
export { type ConnectOptions, connectHub, connectPlain, type Route } from "./connect.ts";
export { caMismatch } from "./errors.ts";
export { explainDialError } from "./explain.ts";
export { findHubCa } from "./pin.ts";
export { readRefusal, readText } from "./problem.ts";
export { readExtraCa } from "./trust.ts";
export { openTunnel } from "./tunnel.ts";
