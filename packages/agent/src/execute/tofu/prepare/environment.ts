import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { policyDenied } from "../../../policy/index.ts";
import { type ChildEnvironment, sharedFileMode } from "../../../processes/index.ts";
import type { Programs } from "../../programs.ts";
import type { Task } from "../../types.ts";
import { ownerOf } from "../state/names.ts";
import type { TofuSpec } from "../types.ts";

export interface TofuFiles {
  /** The folder for OpenTofu's own data. */
  readonly dataFolder: string;
  readonly variablesFile: string;
  readonly planFile: string;
  /** A folder that outlives the private one, and this process. */
  readonly keptFolder: string;
  /** Where a state goes that can't be stored in the cluster. */
  readonly erroredFile: string;
}

export async function openTofuFiles(
  { folder, keep }: Pick<Programs, "folder" | "keep">,
  spec: TofuSpec,
): Promise<TofuFiles> {
  const target = createHash("sha256").update(ownerOf(spec)).digest("hex").slice(0, 16);
  const keptFolder = await keep(`unsaved-${target}`);
  return {
    dataFolder: join(folder, "data"),
    variablesFile: join(folder, "variables.tfvars.json"),
    planFile: join(folder, "plan"),
    keptFolder,
    erroredFile: join(keptFolder, "errored.tfstate"),
  };
}

/** The variables that say where OpenTofu finds things come last, so that the spec's can't replace them. */
export async function prepareEnvironment(options: {
  readonly task: Task<TofuSpec>;
  readonly programs: Programs;
  readonly files: TofuFiles;
  readonly mirror: string | undefined;
}): Promise<ChildEnvironment> {
  const { programs, files, mirror } = options;
  const { spec, secrets } = options.task;
  const own: Record<string, string> = {};
  for (const name of Object.keys(spec.environment)) {
    const verdict = options.task.tofuRules().judgeVariable(name);
    if (!verdict.allowed) throw policyDenied(verdict);
  }
  for (const [name, text] of Object.entries(spec.environment)) own[name] = await secrets.resolve(text);
  const kubeconfig = join(programs.folder, "kubeconfig");
  const cliConfig = join(programs.folder, "tofurc");
  await writeFile(kubeconfig, programs.door.kubeconfig(spec.namespace), { mode: sharedFileMode });
  await writeFile(cliConfig, formatCliConfig(mirror), { mode: sharedFileMode });
  return {
    ...own,
    KUBE_CONFIG_PATH: kubeconfig,
    // For what providers and provisioners start: without it they would ask whatever listens on this machine.
    KUBECONFIG: kubeconfig,
    TF_CLI_CONFIG_FILE: cliConfig,
    TF_DATA_DIR: files.dataFolder,
    TF_WORKSPACE: spec.workspace,
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    // Modules come by git: never from its configuration of the machine, nor by asking somebody.
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    // Nor from a folder of the machine, nor by a program that an address names.
    GIT_ALLOW_PROTOCOL: "https:http:ssh",
  };
}

/** With a mirror nothing else is ever asked. */
function formatCliConfig(mirror: string | undefined): string {
  const lines = ["disable_checkpoint = true"];
  if (mirror !== undefined) {
    const isFolder = mirror.startsWith("/");
    lines.push("provider_installation {", `  ${isFolder ? "filesystem_mirror" : "network_mirror"} {`);
    lines.push(`    ${isFolder ? "path" : "url"} = ${JSON.stringify(mirror)}`, "  }", "}");
  }
  return `${lines.join("\n")}\n`;
}
