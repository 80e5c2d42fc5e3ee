export { explainDialError } from "./explain.ts";
export { findHubCa, tlsTarget } from "./pin.ts";
export { readRefusal, readText } from "./problem.ts";
