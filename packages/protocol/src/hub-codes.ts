import { type Codes, defineCodes } from "@fairlead/kernel";

const codes = [
  "API_LISTENER_WRONG",
  "IDENTITY_EXPIRED",
  "IDENTITY_INVALID",
  "IDENTITY_NOT_YET_VALID",
  "IDENTITY_REVOKED",
  "IDENTITY_UNKNOWN",
  "LINK_CERTIFICATE_REQUIRED",
  "LINK_PROOF_REQUIRED",
] as const;

/** The hub's codes that agents act on. */
export const hubCodes: Codes<(typeof codes)[number]> = defineCodes(codes);
