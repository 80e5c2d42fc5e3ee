import { homedir } from "node:os";
import { join } from "node:path";

/** What the environment says; the only place that reads it. */
export interface Environment {
  /** FAIRLEAD_CONFIG, or where the XDG rules put it. */
  readonly configFile: string;
  /** FAIRLEAD_TOKEN: the token for `fairlead login`. */
  readonly token: string | undefined;
  /** The file that `kubectl config` would write: the first of KUBECONFIG, or ~/.kube/config. */
  readonly kubeconfigFile: string;
  /** NO_COLOR is unset and the terminal isn't dumb. */
  readonly wantsColor: boolean;
  /** HTTPS_PROXY and NO_PROXY, in either case, as Node's agents take them. */
  readonly proxy: Record<string, string>;
}

export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const home = variables["HOME"] || homedir();
  const configHome = variables["XDG_CONFIG_HOME"] || join(home, ".config");
  return {
    configFile: variables["FAIRLEAD_CONFIG"] || join(configHome, "fairlead", "config.yaml"),
    token: variables["FAIRLEAD_TOKEN"]?.trim() || undefined,
    kubeconfigFile: variables["KUBECONFIG"]?.split(":").find(Boolean) ?? join(home, ".kube", "config"),
    wantsColor: !variables["NO_COLOR"] && variables["TERM"] !== "dumb",
    proxy: Object.fromEntries(
      proxyVariables.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : [])),
    ),
  };
}

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;
