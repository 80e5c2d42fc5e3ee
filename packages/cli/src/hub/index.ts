export { connectHub } from "./connect.ts";
export { fingerprintOf, pinCa } from "./pin-ca.ts";
