import { caStatusSchema, retireCaRequestSchema, rotateCaRequestSchema } from "./ca.ts";
import { declarationListSchema } from "./declarations.ts";
import { hubListSchema } from "./hubs.ts";
import { defineOperations } from "./operation.ts";
import { hubVersionSchema } from "./version.ts";
import { whoamiSchema } from "./whoami.ts";

export const hubOperations = defineOperations({
  version: {
    method: "GET",
    path: "/api/v1/version",
    summary: "The hub's version",
    isOpen: true,
    success: { status: 200, description: "Version and identity of the hub", body: hubVersionSchema },
  },
  whoami: {
    method: "GET",
    path: "/api/v1/whoami",
    summary: "Who the token belongs to",
    success: { status: 200, description: "The signed-in user", body: whoamiSchema },
  },
  getCa: {
    method: "GET",
    path: "/api/v1/ca",
    summary: "The hub's certificate authorities, and how many agents go by each",
    success: { status: 200, description: "One, or two while one follows another", body: caStatusSchema },
    right: "get ca",
  },
  rotateCa: {
    method: "POST",
    path: "/api/v1/ca/rotate",
    summary: "Make a new certificate authority beside the old one, and ask agents to renew under it",
    request: rotateCaRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "Both authorities", body: caStatusSchema },
    errors: ["CA_REQUEST_INVALID", "PKI_ROLLOVER_UNDER_WAY"],
    right: "rotate ca",
  },
  retireCa: {
    method: "POST",
    path: "/api/v1/ca/retire",
    summary: "End the old certificate authority",
    request: retireCaRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The one that is left", body: caStatusSchema },
    errors: ["CA_REQUEST_INVALID", "PKI_NOTHING_TO_RETIRE", "CA_STILL_NEEDED"],
    right: "retire ca",
  },
  listHubs: {
    method: "GET",
    path: "/api/v1/hubs",
    summary: "The hubs that share the database",
    success: { status: 200, description: "All of them, in the order of their ids", body: hubListSchema },
    right: "list hubs",
  },
  listDeclarations: {
    method: "GET",
    path: "/api/v1/declarations",
    summary: "What the hub's files declare, and whether it is so",
    success: { status: 200, description: "All that is declared, or could be", body: declarationListSchema },
    errors: ["DECLARATIONS_OFF"],
    right: "list declarations",
  },
});
