import type { Command } from "../command.ts";
import type { OpenContext } from "../context.ts";

export type AddCommands = (program: Command, open: OpenContext) => void;

/** The table of commands, in the order of the help. Each row loads its commands when they are needed. */
export interface CommandRow {
  /** Words after `fairlead` that the row's commands answer to, former ones too. Without: they need all other commands. */
  readonly words?: readonly string[];
  readonly load: () => Promise<AddCommands>;
}

export const commandRows: readonly CommandRow[] = [
  { words: ["login"], load: async () => (await import("./login.ts")).addLogin },
  { words: ["logout"], load: async () => (await import("./logout.ts")).addLogout },
  { words: ["whoami"], load: async () => (await import("./whoami.ts")).addWhoami },
  { words: ["cluster"], load: async () => (await import("./cluster.ts")).addClusterCommands },
  {
    words: ["get", "describe", "events", "change", "changes", "top", "api-resources"],
    load: async () => (await import("./objects/index.ts")).addObjectCommands,
  },
  {
    words: ["feature", "features", "gateway", "gateways"],
    load: async () => (await import("./fitness/index.ts")).addFitnessCommands,
  },
  { words: ["profile"], load: async () => (await import("./profiles/index.ts")).addProfileCommands },
  { words: ["run", "runs", "rollout", "rollouts"], load: async () => (await import("./runs/index.ts")).addRunCommands },
  { words: ["schedule", "schedules"], load: async () => (await import("./schedules/index.ts")).addScheduleCommands },
  { words: ["template"], load: async () => (await import("./templates/index.ts")).addTemplateCommands },
  { words: ["stack"], load: async () => (await import("./stacks/index.ts")).addStackCommands },
  { words: ["argo"], load: async () => (await import("./argo/index.ts")).addArgoCommands },
  { words: ["gitops"], load: async () => (await import("./gitops/index.ts")).addGitopsCommands },
  { words: ["addon", "addons"], load: async () => (await import("./addons/index.ts")).addAddonsCommands },
  { words: ["kubeconfig"], load: async () => (await import("./kubeconfig.ts")).addKubeconfig },
  { words: ["credential"], load: async () => (await import("./credential.ts")).addCredential },
  { words: ["access"], load: async () => (await import("./access/index.ts")).addAccessCommands },
  { words: ["audit"], load: async () => (await import("./audit/index.ts")).addAuditCommands },
  { words: ["ca"], load: async () => (await import("./ca.ts")).addCaCommands },
  { words: ["hub", "hubs"], load: async () => (await import("./hubs.ts")).addHubs },
  { words: ["declaration", "declarations"], load: async () => (await import("./declarations.ts")).addDeclarations },
  { words: ["doctor"], load: async () => (await import("./doctor.ts")).addDoctor },
  { words: ["version"], load: async () => (await import("./version.ts")).addVersion },
  { load: async () => (await import("./completion.ts")).addCompletion },
  { words: ["__complete", "__clusters"], load: async () => (await import("./complete-names.ts")).addCompleteNames },
];
