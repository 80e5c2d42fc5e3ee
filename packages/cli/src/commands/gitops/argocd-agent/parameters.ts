// Reads the parameters of argocd-agent's programs, by its keys: `principal.label-selector`, `agent.mode`. Pure.
import type { Manifest } from "./manifest.ts";

/** Flags win over variables of the environment, as they do there; ConfigMaps that no Deployment names count as well. */
export function readParameters(options: {
  readonly deployments: readonly Manifest[];
  readonly configMaps: readonly Manifest[];
}): Readonly<Record<string, string>> {
  const maps = options.configMaps.filter(({ data = {} }) => Object.keys(data).some((key) => isParameter.test(key)));
  const told = options.deployments.flatMap(listContainers).filter(isProgram);
  return Object.assign(
    {},
    ...maps.map(({ data }) => data ?? {}),
    ...told.map(readVariables),
    ...told.map(readFlags),
  ) as Readonly<Record<string, string>>;
}

/** Its pods' container runs this program of argocd-agent. */
export function runs(program: "agent" | "principal", deployment: Manifest): boolean {
  return listContainers(deployment).some((container) => isProgram(container) && container.args?.[0] === program);
}

/** The ConfigMap that tells an agent its mode. */
export function nameOfParameters(deployment: Manifest): string | undefined {
  const all = listContainers(deployment).filter(isProgram);
  const told = all.flatMap(({ env = [] }) => env).find(({ name }) => variables[name] === "agent.mode");
  return told?.valueFrom?.configMapKeyRef?.name;
}

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly configMapKeyRef?: { readonly name: string } };
  }[];
}

function listContainers({ spec }: Manifest): readonly Container[] {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: readonly Container[] } } };
  return template?.spec?.containers ?? [];
}

function isProgram({ name = "", image = "", args = [] }: Container): boolean {
  return ["agent", "principal"].includes(args[0] ?? "") && (name + image).includes("argocd-agent");
}

function readVariables({ env = [] }: Container): Record<string, string> {
  const told = env.flatMap(({ name, value }) => {
    const key = variables[name];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(told);
}

/** `--label-selector x` and `--label-selector=x`; a flag without a value is true. */
function readFlags({ args: [program = "", ...flags] = [] }: Container): Record<string, string> {
  const told = flags.flatMap((flag, index) => {
    const [, name = "", value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(flag) ?? [];
    const next = flags[index + 1];
    const given = value ?? (next === undefined || next.startsWith("--") ? "true" : next);
    const key = name === "agent-mode" ? "agent.mode" : `${program}.${name}`;
    return name === "" ? [] : [[key, given] as const];
  });
  return Object.fromEntries(told);
}

const isParameter = /^(?:principal|agent)\./;
const variables: Readonly<Record<string, string>> = {
  ARGOCD_AGENT_MODE: "agent.mode",
  ARGOCD_PRINCIPAL_DESTINATION_BASED_MAPPING: "principal.destination-based-mapping",
  ARGOCD_PRINCIPAL_LABEL_SELECTOR: "principal.label-selector",
};
