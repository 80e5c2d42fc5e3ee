export { type Egress, type EgressPass, openEgress } from "./egress.ts";
export { egressErrors } from "./errors.ts";
