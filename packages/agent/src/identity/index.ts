export { identityErrors } from "./errors.ts";
export { createFileStorage } from "./file-storage.ts";
export { keepRoles } from "./keep-roles.ts";
export {
  createIdentityKeeper,
  type IdentityKeeper,
  type IdentityOptions,
  type LinkIdentityKeeper,
} from "./keeper.ts";
export { createMeshKeeper, type MeshIdentity, type MeshKeeper } from "./mesh-keeper.ts";
export { createRenewSoon, type RenewSoon } from "./renew-soon.ts";
export { keepRenewed, type RenewalOptions } from "./renewal.ts";
export { createSecretStorage } from "./secret-storage.ts";
export type { IdentityStorage, IssuedIdentity, StoredIdentity } from "./storage.ts";
export { createTokenSource, type TokenSource } from "./token.ts";
