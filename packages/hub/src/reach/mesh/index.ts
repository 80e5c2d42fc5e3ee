export { createNoEnrollment } from "./no-enrollment.ts";
export { type RefusedAttempt, recordRefusal } from "./record-refusal.ts";
export { createMeshIdentity, type MeshClaim, type MeshIdentity, type MeshPeer } from "./service.ts";
