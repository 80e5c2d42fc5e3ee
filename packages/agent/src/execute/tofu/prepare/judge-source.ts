// Judges a configuration before OpenTofu reads it. Pure.
import { policyDenied, type TofuRules } from "../../../policy/index.ts";
import { tofuErrors } from "../errors.ts";
import { describePlace, type Inspection } from "./inspect-source.ts";

/** What a configuration needs that a policy may forbid. */
export interface SourceNeeds {
  /** The first program of its own that it runs. */
  readonly program?: { readonly where: string; readonly what: string } | undefined;
  /** With their registries. */
  readonly providers: readonly string[];
}

/** Throws TOFU_SOURCE_REFUSED, TOFU_PROGRAM_REFUSED and POLICY_DENIED. */
export function judgeSource(inspection: Inspection, rules: TofuRules): void {
  for (const { type, ...where } of inspection.encryption) {
    if (harmlessEncryption.has(type)) continue;
    const what = `encryption with "${type}"`;
    throw tofuErrors.TOFU_SOURCE_REFUSED({ where: describePlace(where), what });
  }
  judgeNeeds(needsOf(inspection), rules);
}

/** Throws TOFU_PROGRAM_REFUSED and POLICY_DENIED. */
export function judgeNeeds({ program, providers }: SourceNeeds, rules: TofuRules): void {
  if (program && !rules.programs) throw tofuErrors.TOFU_PROGRAM_REFUSED(program);
  for (const provider of providers) {
    const verdict = rules.judgeProvider(provider);
    if (!verdict.allowed) throw policyDenied(verdict);
  }
}

export function needsOf({ data, provisioners, providers }: Inspection): SourceNeeds {
  const programs = [
    ...data.flatMap(({ type, name, ...where }) =>
      type === "external" ? [{ where, what: `data "external" "${name}"` }] : [],
    ),
    ...provisioners.flatMap(({ type, ...where }) =>
      programProvisioners.has(type) ? [{ where, what: `the provisioner "${type}"` }] : [],
    ),
  ];
  const [program] = programs.map(({ where, what }) => ({ where: describePlace(where), what }));
  const sources = providers.map(({ source, name }) => fullSource(source ?? `hashicorp/${name}`));
  return { program, providers: [...new Set(sources)] };
}

/** Those of registries and git; modules in the source itself are the source. */
export function foreignModules({ modules }: Inspection): readonly string[] {
  return modules.flatMap(({ source }) => (source === undefined || source === null || isLocal(source) ? [] : [source]));
}

/** Some sources are expressions: they are known only when OpenTofu has fetched the modules. */
export function hasForeignModules({ modules }: Inspection): boolean {
  return modules.some(({ source }) => source === undefined || source === null || !isLocal(source));
}

export function isLocal(source: string): boolean {
  return source === "" || /^\.{1,2}(?:\/|$)/.test(source);
}

function fullSource(source: string): string {
  const parts = source.split("/");
  if (parts.length === 1) return `${publicRegistry}/hashicorp/${source}`;
  return parts.length === 2 ? `${publicRegistry}/${source}` : source;
}

/** They take a passphrase, or nothing. All others call programs or services. */
const harmlessEncryption = new Set([
  "block",
  "pbkdf2",
  "aes_gcm",
  "unencrypted",
  "state",
  "plan",
  "fallback",
  "default",
  "remote_state_data_sources",
  "remote_state_data_source",
]);
const programProvisioners = new Set(["local-exec", "remote-exec", "file", "dynamic"]);
const publicRegistry = "registry.opentofu.org";
