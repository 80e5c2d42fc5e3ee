// Puts the configuration into the private folder: the files of the spec, or a commit.
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkOut } from "../../../git/index.ts";
import { sharedFileMode, sharedFolderMode } from "../../../processes/index.ts";
import { gitCredentials } from "../../git-credentials.ts";
import type { Programs } from "../../programs.ts";
import type { Task } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuSpec } from "../types.ts";

export interface PreparedSource {
  /** Where OpenTofu runs. */
  readonly folder: string;
  readonly commit: string | undefined;
}

export async function prepareSource(options: {
  readonly task: Task<TofuSpec>;
  readonly programs: Programs;
  /** Instead of what the spec's ref has by now. */
  readonly commit?: string | undefined;
}): Promise<PreparedSource> {
  const { task } = options;
  const { source } = task.spec;
  const root = join(options.programs.folder, "source");
  const commit = source.is === "git" ? await fetchCommit(options, root) : await writeFiles(source.files, root);
  const path = source.is === "git" ? source.path : ".";
  const folder = join(root, path);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const names = isFolder ? await readdir(folder) : [];
  if (!names.some((name) => /\.(?:tf|tofu)(?:\.json)?$/.test(name))) throw tofuErrors.TOFU_PATH_MISSING({ path });
  // A state that somebody committed would be taken for one to move into the cluster.
  for (const name of ["terraform.tfstate", "terraform.tfstate.d", ".terraform"])
    await rm(join(folder, name), { recursive: true, force: true });
  return { folder, commit };
}

async function fetchCommit(
  options: { readonly task: Task<TofuSpec>; readonly programs: Programs; readonly commit?: string | undefined },
  folder: string,
): Promise<string | undefined> {
  const { task, programs } = options;
  const { log, signal, clock } = task;
  if (task.spec.source.is !== "git") return undefined;
  const { git } = task.spec.source;
  const secrets = gitCredentials(task.secrets, git.url);
  const mayUse = (host: string): void => task.mayUse({ is: "git-host", host });
  const commit = options.commit ?? git.commit;
  return (await checkOut({ ...git, commit, programs, folder, secrets, mayUse, log, signal, clock })).commit;
}

async function writeFiles(files: Readonly<Record<string, string>>, folder: string): Promise<undefined> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: sharedFolderMode });
    await writeFile(file, text, { mode: sharedFileMode });
  }
}
