import type { OperationTables } from "../operations.ts";

/** Loads a table, and with it the schemas of its room. */
export function loadTable<Name extends keyof OperationTables>(name: Name): Promise<OperationTables[Name]> {
  return loaders[name]();
}

const loaders: { readonly [Name in keyof OperationTables]: () => Promise<OperationTables[Name]> } = {
  hubOperations: async () => (await import("../hub-operations.ts")).hubOperations,
  clusterOperations: async () => (await import("../cluster-operations.ts")).clusterOperations,
  signInOperations: async () => (await import("../access/index.ts")).signInOperations,
  browserOperations: async () => (await import("../access/index.ts")).browserOperations,
  subjectOperations: async () => (await import("../access/index.ts")).subjectOperations,
  grantOperations: async () => (await import("../access/index.ts")).grantOperations,
  accessRequestOperations: async () => (await import("../access/index.ts")).accessRequestOperations,
  auditOperations: async () => (await import("../audit/index.ts")).auditOperations,
  inventoryOperations: async () => (await import("../inventory/index.ts")).inventoryOperations,
  fitnessOperations: async () => (await import("../fitness/index.ts")).fitnessOperations,
  profileOperations: async () => (await import("../profiles/index.ts")).profileOperations,
  gitopsOperations: async () => (await import("../gitops/index.ts")).gitopsOperations,
  applicationOperations: async () => (await import("../gitops/index.ts")).applicationOperations,
  argoObjectOperations: async () => (await import("../gitops/index.ts")).argoObjectOperations,
  commandOperations: async () => (await import("../commands/index.ts")).commandOperations,
  rolloutOperations: async () => (await import("../rollouts/index.ts")).rolloutOperations,
  scheduleOperations: async () => (await import("../schedules/index.ts")).scheduleOperations,
  stackOperations: async () => (await import("../stacks/index.ts")).stackOperations,
  templateOperations: async () => (await import("../templates/index.ts")).templateOperations,
};
