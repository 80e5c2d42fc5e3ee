// What the policy lets configurations of OpenTofu do. Pure.

import { judgeSource } from "./judge-source.ts";
import { matchesAny } from "./patterns.ts";
import type { Policy } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export interface TofuRules {
  /** With its registry's host: `registry.opentofu.org/hashicorp/aws`. */
  judgeProvider(source: string): Verdict;
  /** Whether a configuration may run programs of its own: `data "external"`, `local-exec`, `remote-exec`. */
  readonly programs: boolean;
  /** Whether a command may set this variable of the environment. */
  judgeVariable(name: string): Verdict;
}

export function tofuRules(policy: Policy): TofuRules {
  const { tofu } = policy.execute ?? {};
  const allow = tofu?.environment?.allow ?? cloudVariables;
  return {
    judgeProvider: (source) => judgeSource(policy, { is: "tofu-provider", source }),
    programs: tofu?.programs ?? false,
    judgeVariable(name) {
      const rule = "execute.tofu.environment.allow";
      if (steersPrograms.test(name)) return { allowed: false, rule, reason: `only the agent can set ${name}` };
      return matchesAny(allow, name) ? { allowed: true } : { allowed: false, rule, reason: `${name} isn't in it` };
    },
  };
}

/** By which providers find their clouds. A policy with a list of its own has to name all that it wants. */
const cloudVariables: readonly string[] = [
  "AWS_*",
  "ARM_*",
  "AZURE_*",
  "AZUREAD_*",
  "MSI_*",
  "GOOGLE_*",
  "GCLOUD_*",
  "GCP_*",
  "CLOUDSDK_*",
  "TF_VAR_*",
  "OCI_*",
  "ALICLOUD_*",
  "ALIBABA_CLOUD_*",
  "TENCENTCLOUD_*",
  "HCLOUD_*",
  "IBMCLOUD_*",
  "IC_*",
  "OS_*",
  "OVH_*",
  "DIGITALOCEAN_*",
  "SPACES_*",
  "LINODE_*",
  "SCW_*",
  "EXOSCALE_*",
  "VULTR_*",
  "CIVO_*",
  "UPCLOUD_*",
  "STACKIT_*",
  "CLOUDFLARE_*",
  "GITHUB_*",
  "GITLAB_*",
  "DATADOG_*",
  "DD_*",
  "GRAFANA_*",
  "VAULT_*",
  "VSPHERE_*",
  "PROXMOX_*",
];

/**
 * They choose which programs run, which libraries they load, where state and plugins are, and which way out they take:
 * whatever a list says.
 */
const steersPrograms =
  /^(?:TF_(?!VAR_)|TOFU_|KUBE|GIT_|SSH_|LD_|DYLD_|GLIBC_|MALLOC_|GCONV_PATH$|PATH$|HOME$|TMPDIR$|SHELL$|ENV$|BASH_|IFS$|CHECKPOINT_DISABLE$|NODE_|PYTHON|PERL|RUBY|GO(?:DEBUG|TRACEBACK|MAXPROCS)$|(?:HTTPS?|ALL|NO|FTP)_PROXY$|SSL_CERT_|CURL_|XDG_|PLUGIN_|FAIRLEAD_|GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES$)/i;
