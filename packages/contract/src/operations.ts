// Every operation of the API once: the OpenAPI document and what clients know of operations are made from them.
import {
  accessRequestOperations,
  browserOperations,
  grantOperations,
  signInOperations,
  subjectOperations,
} from "./access/index.ts";
import { auditOperations } from "./audit/index.ts";
import { clusterOperations } from "./cluster-operations.ts";
import { commandOperations } from "./commands/index.ts";
import { fitnessOperations } from "./fitness/index.ts";
import { applicationOperations, argoObjectOperations, gitopsOperations } from "./gitops/index.ts";
import { hubOperations } from "./hub-operations.ts";
import { inventoryOperations } from "./inventory/index.ts";
import type { Operation } from "./operation.ts";
import { profileOperations } from "./profiles/index.ts";
import { rolloutOperations } from "./rollouts/index.ts";
import { scheduleOperations } from "./schedules/index.ts";
import { stackOperations } from "./stacks/index.ts";
import { templateOperations } from "./templates/index.ts";

export const operationTables = {
  hubOperations,
  clusterOperations,
  signInOperations,
  browserOperations,
  subjectOperations,
  grantOperations,
  accessRequestOperations,
  auditOperations,
  inventoryOperations,
  fitnessOperations,
  profileOperations,
  gitopsOperations,
  applicationOperations,
  argoObjectOperations,
  commandOperations,
  rolloutOperations,
  scheduleOperations,
  stackOperations,
  templateOperations,
} as const;
export type OperationTables = typeof operationTables;

export const operations: readonly Operation[] = Object.values(operationTables).flatMap((table) =>
  Object.values<Operation>(table),
);
