import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ChildEnvironment } from "../../../processes/index.ts";
import type { Programs } from "../../programs.ts";
import type { Task } from "../../types.ts";
import { ownerOf } from "../state/names.ts";
import type { TofuSpec } from "../types.ts";

export interface TofuFiles {
  /** The folder for OpenTofu's own data. */
  readonly dataFolder: string;
  readonly variablesFile: string;
  readonly planFile: string;
  /** Where a state goes that can't be stored in the cluster. It outlives the private folder, and this process. */
  readonly erroredFile: string;
}

export function tofuFiles({ folder }: Pick<Programs, "folder">, spec: TofuSpec): TofuFiles {
  const target = createHash("sha256").update(ownerOf(spec)).digest("hex").slice(0, 16);
  return {
    dataFolder: join(folder, "data"),
    variablesFile: join(folder, "variables.tfvars.json"),
    planFile: join(folder, "plan"),
    erroredFile: join(dirname(folder), `unsaved-${target}.tfstate`),
  };
}

/** The variables that say where OpenTofu finds things come last, so that the spec's can't replace them. */
export async function prepareEnvironment(options: {
  readonly task: Task<TofuSpec>;
  readonly programs: Programs;
  readonly mirror: string | undefined;
}): Promise<ChildEnvironment> {
  const { programs, mirror } = options;
  const { spec, secrets } = options.task;
  const own: Record<string, string> = {};
  for (const [name, text] of Object.entries(spec.environment)) own[name] = await secrets.resolve(text);
  const kubeconfig = join(programs.folder, "kubeconfig");
  const cliConfig = join(programs.folder, "tofurc");
  await writeFile(kubeconfig, programs.door.kubeconfig(spec.namespace), { mode: 0o600 });
  await writeFile(cliConfig, formatCliConfig(mirror), { mode: 0o600 });
  return {
    ...own,
    ...{
      KUBE_CONFIG_PATH: kubeconfig,
      TF_CLI_CONFIG_FILE: cliConfig,
      TF_DATA_DIR: tofuFiles(programs, spec).dataFolder,
    },
    ...{ TF_WORKSPACE: spec.workspace, TF_IN_AUTOMATION: "1", TF_INPUT: "0", CHECKPOINT_DISABLE: "1" },
    // Modules come by git: never from its configuration of the machine, nor by asking somebody.
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" },
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
