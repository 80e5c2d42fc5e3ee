// The catalog of binaries: the module under tools/ that builds each, and the versions of one found elsewhere that will do.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../repo-root.ts";

export type ToolName =
  | "argocd"
  | "etcd"
  | "etcdutl"
  | "forgetful"
  | "gitssh"
  | "helm"
  | "helm3"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubectl"
  | "kwok"
  | "leash"
  | "nats-server"
  | "podserver"
  | "prometheus"
  | "remotedialer"
  | "runner"
  | "seclude"
  | "tofu";

export interface Tool {
  /** Folder under tools/, or under `parent`. */
  readonly module: string;
  readonly parent?: string;
  /** The argument of `go build`, run inside that folder. */
  readonly goPackage: string;
  /** Linker flags beyond -s -w. */
  readonly linkerFlags: readonly string[];
  /** Build constraints that hold, such as those that leave parts of a program out. */
  readonly buildTags?: readonly string[];
  /** The question for the version of a binary found on this machine; absent for our own programs. */
  readonly hostVersion?: { readonly args: readonly string[]; readonly fits: RegExp };
  /** Files and folders of a Go module that are kept beside the program, YAML as JSON. */
  readonly keeps?: { readonly goModule: string; readonly paths: readonly string[] };
}

/** The version of the API server that tools/kubernetes/go.mod names, such as v1.36.3. */
export const kubernetesVersion: string = requiredVersion("kubernetes", "k8s.io/kubernetes");

const [, major = "", minor = ""] = /^v(\d+)\.(\d+)\./.exec(kubernetesVersion) ?? [];
const kubernetesFits = new RegExp(`^(?:Kubernetes|Client Version:) v${major}\\.${minor}\\.\\d+\\s*$`, "m");

const natsVersion = requiredVersion("nats", "github.com/nats-io/nats-server/v2");
const natsFits = new RegExp(`^nats-server: ${natsVersion.split(".", 2).join("\\.")}\\.\\d+\\s*$`);

// The release 3.15.0 is the Go module's v0.315.0.
const prometheusVersion = requiredVersion("prometheus", "github.com/prometheus/prometheus").replace(
  /^v0\.3(\d\d)\./,
  "3.$1.",
);
const prometheusFits = new RegExp(`^prometheus, version ${prometheusVersion.split(".", 2).join("\\.")}\\.\\d+ `, "m");

const tofuVersion = requiredVersion("tofu", "github.com/opentofu/opentofu");
const tofuFits = new RegExp(`^OpenTofu ${tofuVersion.split(".", 2).join("\\.")}\\.\\d+\\s*$`, "m");

export const catalog: Readonly<Record<ToolName, Tool>> = {
  argocd: {
    module: "argocd",
    goPackage: "github.com/argoproj/argo-cd/v3/cmd",
    linkerFlags: [],
    keeps: {
      goModule: "github.com/argoproj/argo-cd/v3",
      paths: ["manifests/crds", "manifests/base/config", "hack/git-verify-wrapper.sh"],
    },
  },
  etcd: {
    module: "kubernetes",
    goPackage: "go.etcd.io/etcd/server/v3",
    linkerFlags: [],
    hostVersion: { args: ["--version"], fits: /^etcd Version: 3\.(?:[6-9]|[1-9]\d)\./m },
  },
  etcdutl: { module: "etcdutl", goPackage: "go.etcd.io/etcd/etcdutl/v3", linkerFlags: [] },
  forgetful: { module: "forgetful", goPackage: ".", linkerFlags: [] },
  gitssh: { module: "gitssh", goPackage: ".", linkerFlags: [] },
  helm: helmTool("helm", "helm.sh/helm/v4"),
  // The version before, which commands take, too.
  helm3: helmTool("helm3", "helm.sh/helm/v3"),
  "kube-apiserver": kubernetesTool("kube-apiserver", ["--version"]),
  "kube-controller-manager": kubernetesTool("kube-controller-manager", ["--version"]),
  "kube-scheduler": kubernetesTool("kube-scheduler", ["--version"]),
  kubectl: kubernetesTool("kubectl", ["version", "--client"]),
  kwok: {
    module: "kubernetes",
    goPackage: "sigs.k8s.io/kwok/cmd/kwok",
    linkerFlags: [],
    hostVersion: { args: ["--version"], fits: /^kwok version v0\.8\./m },
  },
  leash: { module: "leash", goPackage: ".", linkerFlags: [] },
  "nats-server": {
    module: "nats",
    goPackage: "github.com/nats-io/nats-server/v2",
    linkerFlags: [],
    hostVersion: { args: ["--version"], fits: natsFits },
  },
  podserver: { module: "podserver", goPackage: ".", linkerFlags: [] },
  prometheus: {
    module: "prometheus",
    goPackage: "github.com/prometheus/prometheus/cmd/prometheus",
    // It has no version without this.
    linkerFlags: [`-X github.com/prometheus/common/version.Version=${prometheusVersion}`],
    // Leaves out the discovery of targets in clouds, whose libraries make most of the build.
    buildTags: ["remove_all_sd"],
    hostVersion: { args: ["--version"], fits: prometheusFits },
  },
  remotedialer: { module: "remotedialer", parent: "bench/peers", goPackage: ".", linkerFlags: [] },
  runner: { module: "runner", goPackage: ".", linkerFlags: [] },
  seclude: { module: "seclude", goPackage: ".", linkerFlags: [] },
  tofu: {
    module: "tofu",
    goPackage: "github.com/opentofu/opentofu/cmd/tofu",
    // It calls itself a development version without this.
    linkerFlags: ["-X github.com/opentofu/opentofu/version.dev=no"],
    hostVersion: { args: ["version"], fits: tofuFits },
  },
};

function helmTool(folder: string, module: string): Tool {
  const version = requiredVersion(folder, module);
  const fits = new RegExp(`^${version.split(".", 2).join("\\.")}\\.\\d+(?:\\+g[0-9a-f]+)?\\s*$`);
  return {
    module: folder,
    goPackage: `${module}/cmd/helm`,
    linkerFlags: [`-X ${module}/internal/version.version=${version}`],
    hostVersion: { args: ["version", "--short"], fits },
  };
}

function kubernetesTool(name: string, args: readonly string[]): Tool {
  return {
    module: "kubernetes",
    goPackage: `k8s.io/kubernetes/cmd/${name}`,
    linkerFlags: versionStamps(),
    hostVersion: { args, fits: kubernetesFits },
  };
}

/** The server calls itself v0.0.0-master+$Format without these, and every check for version skew fails. */
function versionStamps(): string[] {
  const values = {
    gitVersion: kubernetesVersion,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: "unknown",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
  };
  return ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((target) =>
    Object.entries(values).map(([name, value]) => `-X ${target}.${name}=${value}`),
  );
}

function requiredVersion(folder: string, module: string): string {
  const goMod = readFileSync(join(repoRoot, "tools", folder, "go.mod"), "utf8");
  const line = goMod.split("\n").find((text) => text.trim().startsWith(`${module} v`));
  if (line === undefined) throw new Error(`tools/${folder}/go.mod does not require ${module}`);
  return line.trim().split(" ")[1] ?? "";
}
