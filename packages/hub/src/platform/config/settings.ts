// Every setting of the hub. Flags, environment variables, keys of the YAML file, help and documentation come from it.
import type { Program, SettingTable } from "@fairlead/kernel/settings";
import { type TracingConfig, tracingSettings } from "@fairlead/kernel/tracing";
import { type AuditConfig, auditSettings, type SignInConfig, signInSettings } from "./access-settings.ts";
import { type ArgoConfig, argoSettings } from "./argo-settings.ts";
import {
  type BusConfig,
  busSettings,
  type DatabaseConfig,
  type DataConfig,
  databaseSettings,
  dataSettings,
} from "./data-settings.ts";
import {
  type InventoryConfig,
  inventorySettings,
  type LimitConfig,
  limitSettings,
  type OperationConfig,
  operationSettings,
} from "./limit-settings.ts";
import {
  type AuthorityConfig,
  authoritySettings,
  type ListenerConfig,
  listenerSettings,
  type MeshConfig,
  meshSettings,
} from "./listener-settings.ts";

export interface HubConfig
  extends DataConfig,
    DatabaseConfig,
    BusConfig,
    ListenerConfig,
    AuthorityConfig,
    MeshConfig,
    SignInConfig,
    AuditConfig,
    OperationConfig,
    TracingConfig,
    LimitConfig,
    InventoryConfig,
    ArgoConfig {}

const settings: SettingTable<HubConfig> = {
  ...listenerSettings,
  ...dataSettings,
  ...databaseSettings,
  ...busSettings,
  ...authoritySettings,
  ...meshSettings,
  ...signInSettings,
  ...auditSettings,
  ...operationSettings,
  ...tracingSettings,
  ...limitSettings,
  ...inventorySettings,
  ...argoSettings,
};

export const hubProgram: Program<HubConfig> = {
  name: "fairlead-hub",
  variablePrefix: "FAIRLEAD_HUB_",
  settings,
  commandFlags: { from: true, to: true, "revoke-others": false, "revoke-issued": false },
};
