export { type Egress, type EgressPass, openEgress } from "./egress.ts";
