// Finds the cluster that kubectl would talk to.
import { readFile } from "node:fs/promises";
import { type ClusterAccess, Fields, inClusterConfig, isInCluster, loadKubeconfig } from "@fairlead/kube";
import { parse } from "yaml";
import { isMissing } from "../../files/index.ts";

export interface OpenAccessOptions {
  /** Named by a person; else one of `kubeconfigFiles`. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly kubeconfigFiles: readonly string[];
  /** The variables that credential plugins see. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Without a kubeconfig a pod gets access to its own cluster. */
export async function openAccess(options: OpenAccessOptions): Promise<ClusterAccess> {
  const { kubeconfig, context, kubeconfigFiles, variables: env } = options;
  if (kubeconfig !== undefined) return await loadKubeconfig({ path: kubeconfig, context, env });
  const files = await readExisting(kubeconfigFiles);
  if (files.length === 0 && isInCluster(env)) return await inClusterConfig({ env });
  const wanted = context ?? files.map(({ config }) => config.at("current-context").text()).find(Boolean);
  const file = files.find(({ config }) => hasContext(config, wanted)) ?? files[0];
  return await loadKubeconfig({ path: file?.path ?? kubeconfigFiles[0], context: wanted, env });
}

interface KubeconfigFile {
  readonly path: string;
  readonly config: Fields;
}

/** As kubectl does: a file that isn't there is left out. Whatever else is wrong with one is found when it is used. */
async function readExisting(paths: readonly string[]): Promise<KubeconfigFile[]> {
  const files = await Promise.all(paths.map(readOne));
  return files.filter((file) => file !== undefined);
}

async function readOne(path: string): Promise<KubeconfigFile | undefined> {
  try {
    return { path, config: new Fields(parse(await readFile(path, "utf8"))) };
  } catch (thrown) {
    return isMissing(thrown) ? undefined : { path, config: new Fields(undefined) };
  }
}

function hasContext(config: Fields, name: string | undefined): boolean {
  const contexts = config.at("contexts").list();
  return name !== undefined && contexts.some((context) => context.at("name").text() === name);
}
