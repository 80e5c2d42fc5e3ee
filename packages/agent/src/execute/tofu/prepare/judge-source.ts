// Judges a configuration before OpenTofu reads it. Pure.
import { policyDenied, type TofuRules } from "../../../policy/index.ts";
import { tofuErrors } from "../errors.ts";
import { describePlace, type Inspection } from "./inspect-source.ts";

/** Throws TOFU_SOURCE_REFUSED, TOFU_PROGRAM_REFUSED and POLICY_DENIED. */
export function judgeSource({ encryption, data, provisioners, providers }: Inspection, rules: TofuRules): void {
  for (const { type, ...where } of encryption) {
    if (harmlessEncryption.has(type)) continue;
    const what = `encryption with "${type}"`;
    throw tofuErrors.TOFU_SOURCE_REFUSED({ where: describePlace(where), what });
  }
  if (!rules.programs) {
    for (const { type, name, ...where } of data)
      if (type === "external") throw runsProgram(describePlace(where), `data "external" "${name}"`);
    for (const { type, ...where } of provisioners)
      if (programProvisioners.has(type)) throw runsProgram(describePlace(where), `the provisioner "${type}"`);
  }
  for (const { source, name } of providers) {
    const verdict = rules.judgeProvider(fullSource(source ?? `hashicorp/${name}`));
    if (!verdict.allowed) throw policyDenied(verdict);
  }
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

function runsProgram(where: string, what: string): Error {
  return tofuErrors.TOFU_PROGRAM_REFUSED({ where, what });
}

/** They take a passphrase, or nothing. All others call programs or services. */
const harmlessEncryption = new Set([
  ...["block", "pbkdf2", "aes_gcm", "unencrypted", "state", "plan", "fallback", "default"],
  ...["remote_state_data_sources", "remote_state_data_source"],
]);
const programProvisioners = new Set(["local-exec", "remote-exec", "file", "dynamic"]);
const publicRegistry = "registry.opentofu.org";
