export { declarationErrors } from "./errors.ts";
export { type DeclaredGuard, readOnly } from "./guard.ts";
export { saveOwned } from "./owned.ts";
export type { DeclaredPart, DeclaredTask, Finding } from "./part.ts";
export { createDeclarationRoutes } from "./routes.ts";
export { type DeclarationsRoom, openDeclarations } from "./service.ts";
export type {
  Declarations,
  DeclaredBinding,
  DeclaredCluster,
  DeclaredKind,
  DeclaredRobot,
  DeclaredRole,
  OwnedThing,
} from "./types.ts";
