import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type Program, readProgram } from "./program.ts";

/** The environment, read nowhere else. */
export interface Environment {
  /** FAIRLEAD_CONFIG, or where the XDG rules put it. */
  readonly configFile: string;
  /** Where it would be if only the home folder said so: what another process finds without being told. */
  readonly defaultConfigFile: string;
  /** Where compiled modules are kept, by the XDG rules. */
  readonly cacheFolder: string;
  /** FAIRLEAD_CONTEXT: which sign-in to use, when it isn't the last one. */
  readonly context: string | undefined;
  /** FAIRLEAD_PROFILE: its former name. */
  readonly formerContext: string | undefined;
  /** FAIRLEAD_TOKEN: used instead of any sign-in, as a pipeline does. */
  readonly token: string | undefined;
  /** The file that `kubectl config` would write: the first of KUBECONFIG, or ~/.kube/config. */
  readonly kubeconfigFile: string;
  /** All that kubectl would read: those of KUBECONFIG, or ~/.kube/config. */
  readonly kubeconfigFiles: readonly string[];
  /** KUBERNETES_EXEC_INFO: what kubectl tells its credential plugin. */
  readonly execInfo: string | undefined;
  /** True when a browser could open a window here. */
  readonly hasDisplay: boolean;
  /** NO_COLOR is unset and the terminal isn't dumb. */
  readonly wantsColor: boolean;
  /** HTTPS_PROXY and NO_PROXY, in either case, as Node's agents take them. */
  readonly proxy: Record<string, string>;
  readonly program: Program;
  /** All of them, for programs that a kubeconfig names. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const home = variables["HOME"] || homedir();
  const defaultConfigFile = join(home, ".config", "fairlead", "config.json");
  const configHome = variables["XDG_CONFIG_HOME"];
  const cacheHome = variables["XDG_CACHE_HOME"] || join(home, ".cache");
  const kubeconfigFiles = variables["KUBECONFIG"]?.split(delimiter).filter(Boolean) ?? [];
  const defaultKubeconfig = join(home, ".kube", "config");
  return {
    configFile:
      variables["FAIRLEAD_CONFIG"] || (configHome ? join(configHome, "fairlead", "config.json") : defaultConfigFile),
    defaultConfigFile,
    cacheFolder: join(cacheHome, "fairlead"),
    context: variables["FAIRLEAD_CONTEXT"] || undefined,
    formerContext: variables["FAIRLEAD_PROFILE"] || undefined,
    token: variables["FAIRLEAD_TOKEN"]?.trim() || undefined,
    kubeconfigFile: kubeconfigFiles[0] ?? defaultKubeconfig,
    kubeconfigFiles: kubeconfigFiles.length > 0 ? kubeconfigFiles : [defaultKubeconfig],
    execInfo: variables["KUBERNETES_EXEC_INFO"] || undefined,
    hasDisplay: process.platform !== "linux" || Boolean(variables["DISPLAY"] || variables["WAYLAND_DISPLAY"]),
    wantsColor: !variables["NO_COLOR"] && variables["TERM"] !== "dumb",
    proxy: Object.fromEntries(
      proxyVariables.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : [])),
    ),
    program: readProgram(variables["PATH"] ?? ""),
    variables,
  };
}

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;
