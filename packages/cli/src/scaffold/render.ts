// The pure part of `fairlead cluster scaffold`: answers in, files out.
import type { ClusterType } from "@fairlead/doctor";
import type { Input, Provider } from "./blueprint.ts";
import { type Block, block, raw, writeBlocks } from "./hcl.ts";
import { poolsOf } from "./pools.ts";
import { writeReadme } from "./readme.ts";
import { agentRelease, argocdRelease, providerAccess } from "./releases.ts";
import { joinTokenSecret, type Request } from "./request.ts";
import { blueprints } from "./types/index.ts";

/** By the name of each; all are written into one folder. */
export type Files = Readonly<Record<string, string>>;

const shared: Readonly<Record<string, Provider>> = {
  helm: { source: "hashicorp/helm", version: "3.0.2" },
  kubernetes: { source: "hashicorp/kubernetes", version: "2.38.0" },
};

const sharedInputs: readonly Input[] = [
  { name: "hub_url", description: "The hub's agent listener, such as https://hub.example.com:8444." },
  { name: "agent_chart", description: "The agent's chart: a folder, a .tgz, or oci://REGISTRY/fairlead-agent." },
  { name: "agent_image_registry", description: "The registry that has the agent's images." },
  { name: "agent_chart_version", description: "The version of the agent's chart.", fallback: "0.1.0" },
  {
    name: "argocd_repository",
    description: "The repository of Argo CD's chart.",
    fallback: "https://argoproj.github.io/argo-helm",
  },
  {
    name: "join_token_secret",
    description:
      "The Secret in the namespace fairlead that holds the join token. The token itself stands nowhere here.",
    fallback: joinTokenSecret,
  },
];

export function inputsOf(type: ClusterType): readonly Input[] {
  return [...blueprints[type].inputs, ...sharedInputs];
}

export function renderFiles(request: Request): Files {
  const { type, name, profile, answers } = request;
  const blueprint = blueprints[type];
  const inputs = inputsOf(type);
  const parts: Readonly<Record<string, readonly Block[]>> = {
    "versions.tf": [requirements({ ...blueprint.providers, ...shared })],
    "variables.tf": [{ name: "name", description: "The cluster's name." }, ...inputs].map(variable),
    "providers.tf": [...blueprint.configuration, ...providerAccess(blueprint.access)],
    "network.tf": blueprint.network(name),
    "cluster.tf": blueprint.cluster(name),
    "pools.tf": blueprint.pools(poolsOf(profile)),
    "identities.tf": blueprint.identities(name),
    "storage.tf": blueprint.storage(profile),
    "argocd.tf": argocdRelease(profile, blueprint.ready),
    "agent.tf": agentRelease(blueprint.ready),
  };
  const code = Object.entries(parts).filter(([, blocks]) => blocks.length > 0);
  const values = [["name", name], ...inputs.map((input) => [input.name, answers[input.name] ?? input.fallback ?? ""])];
  return {
    ...Object.fromEntries(code.map(([file, blocks]) => [file, writeBlocks(blocks)])),
    "terraform.tfvars.json": `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`,
    "README.md": writeReadme(request, blueprint),
  };
}

function requirements(providers: Readonly<Record<string, Provider>>): Block {
  const entries = Object.entries(providers).map(([name, { source, version }]) => [name, { source, version }]);
  return block("terraform", [], { required_version: ">= 1.8.0" }, [
    block("required_providers", [], Object.fromEntries(entries)),
  ]);
}

function variable({ name, description }: Input): Block {
  return block("variable", [name], { description, type: raw("string") });
}
