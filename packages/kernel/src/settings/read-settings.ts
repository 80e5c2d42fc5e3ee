// Flags win over the environment, that over the file, and that over defaults. Errors name the place that a value came from.
import { findNearest } from "../find-nearest.ts";
import { settingErrors, settingUnknown } from "./errors.ts";
import { readArguments } from "./read-arguments.ts";
import { secretInFlag } from "./secret-in-flag.ts";
import { type Former, fallbackOf, type NamedSetting, namedSettings, type Program } from "./setting.ts";
import { toFlag, toVariable } from "./spellings.ts";

export interface SettingSources {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file at this path as a value. */
  readonly readFile: (path: string) => unknown;
}

export type ReadSettings<Config> =
  | { readonly kind: "help" | "version" }
  | {
      readonly kind: "run" | "print-config";
      readonly config: Config;
      readonly flags: ReadonlyMap<string, string | true>;
      readonly words: readonly string[];
      /** Lines for standard error, about former spellings. */
      readonly warnings: readonly string[];
    };

export function readSettings<Config>(program: Program<Config>, sources: SettingSources): ReadSettings<Config> {
  const { flags, words } = readArguments(program, sources.args);
  if (flags.has("--help")) return { kind: "help" };
  if (flags.has("--version")) return { kind: "version" };
  refuseSecrets(program, flags);
  const variables = readVariables(program, sources.env);
  const path = flags.get("--config") ?? variables.get(toVariable(program.variablePrefix, "config"));
  const places: Place[] = [
    { spell: toFlag, values: flags },
    { spell: (name) => toVariable(program.variablePrefix, name), values: variables },
  ];
  if (typeof path === "string")
    places.push({ spell: (name) => `${name} in ${path}`, values: readConfigFile({ program, path, sources }) });
  const warnings: string[] = [];
  const values = namedSettings(program).map((named) => [named.member, resolve({ program, named, places, warnings })]);
  const kind = flags.has("--print-config") ? "print-config" : "run";
  return { kind, config: Object.fromEntries(values) as Config, flags, words, warnings };
}

interface Place {
  spell(name: string): string;
  /** By the spelling of this place. */
  readonly values: ReadonlyMap<string, unknown>;
}

interface Search<Config> {
  readonly program: Program<Config>;
  readonly named: NamedSetting;
  readonly places: readonly Place[];
  readonly warnings: string[];
}

function resolve<Config>({ program, named, places, warnings }: Search<Config>): unknown {
  const { setting, name } = named;
  for (const { spell, values } of places) {
    const given = values.get(spell(name));
    const former = setting.former && { is: setting.former, spelling: spell(setting.former.name) };
    const formerGiven = former && values.get(former.spelling);
    if (given !== undefined && formerGiven !== undefined && former)
      throw settingErrors.CONFIG_GIVEN_TWICE({ former: former.spelling, name: spell(name) });
    if (given !== undefined) return readValue({ program, named, spelling: spell(name), given });
    if (formerGiven === undefined || !former) continue;
    const value = readFormer({ program, named, spelling: former.spelling, given: formerGiven }, former.is);
    const instead = setting.secret ? spell(name) : `${spell(name)} ${String(setting.kind.write(value))}`;
    warnings.push(`${former.spelling} is deprecated: write ${instead} instead.`);
    return value;
  }
  return fallbackOf(setting);
}

interface Given<Config> {
  readonly program: Program<Config>;
  readonly named: NamedSetting;
  readonly spelling: string;
  readonly given: unknown;
}

function readValue<Config>({ program, named: { setting }, spelling, given }: Given<Config>): NonNullable<unknown> {
  const reading = setting.kind.read(given);
  if ("value" in reading) return reading.value;
  throw invalid(program, spelling, `${show(setting, given)}expected ${reading.expected}`);
}

function readFormer<Config>(
  { program, named, spelling, given }: Given<Config>,
  { factor }: Former,
): NonNullable<unknown> {
  const { setting, name } = named;
  const { kind } = setting;
  const number = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof number === "number" && Number.isFinite(number) && number >= 0) {
    const reading = kind.read(kind.write(number * factor));
    if ("value" in reading) return reading.value;
    throw invalid(program, spelling, `${show(setting, number)}expected ${reading.expected} of ${toFlag(name)}`);
  }
  throw invalid(program, spelling, `${show(setting, given)}expected a number; use ${toFlag(name)} instead`);
}

/** Not where it is or could hold a secret, and no more than tells what is meant. */
function show({ secret }: NamedSetting["setting"], given: unknown): string {
  if (secret) return "";
  const text = JSON.stringify(given);
  return text.includes("@") || text.length > 100 ? "" : `${text} was given, `;
}

function refuseSecrets<Config>(program: Program<Config>, flags: ReadonlyMap<string, string | true>): void {
  for (const { name, setting } of namedSettings(program)) {
    for (const spelling of [name, ...(setting.former ? [setting.former.name] : [])]) {
      const value = flags.get(toFlag(spelling));
      if (typeof value === "string" && setting.secret?.holdsSecret(value)) throw secretInFlag(program, name);
    }
  }
}

function readVariables<Config>(program: Program<Config>, env: SettingSources["env"]): Map<string, unknown> {
  const { variablePrefix: prefix } = program;
  const { current, former } = namesOf(program);
  const known = [...current, "config"].map((name) => toVariable(prefix, name));
  const all = new Set([...known, ...former.map((name) => toVariable(prefix, name))]);
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || value === undefined || value === "") continue;
    if (all.has(name)) values.set(name, value);
    else if (!isServiceLink.test(name))
      throw settingUnknown({
        name,
        where: "the environment",
        nearest: findNearest(name, known),
        program: program.name,
      });
  }
  return values;
}

/** Kubernetes gives a pod such variables for each Service of its namespace, and a Service may be called fairlead-hub-x. */
const isServiceLink =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

function readConfigFile<Config>({
  program,
  path,
  sources,
}: {
  readonly program: Program<Config>;
  readonly path: string;
  readonly sources: SettingSources;
}): Map<string, unknown> {
  const content = loadFile({ program, path, sources });
  const { current, former } = namesOf(program);
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(content)) {
    if (!current.includes(name) && !former.includes(name))
      throw settingUnknown({ name, where: path, nearest: findNearest(name, current), program: program.name });
    if (value !== null) values.set(`${name} in ${path}`, value);
  }
  return values;
}

function loadFile<Config>({
  program,
  path,
  sources,
}: {
  readonly program: Program<Config>;
  readonly path: string;
  readonly sources: SettingSources;
}): object {
  const unreadable = (reason: string): Error =>
    settingErrors.CONFIG_FILE_UNREADABLE({ path, reason, program: program.name });
  let content: unknown;
  try {
    content = sources.readFile(path) ?? {};
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw unreadable(code ?? message.split("\n")[0] ?? "unknown reason");
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw unreadable("it isn't a mapping");
  return content;
}

function namesOf<Config>(program: Program<Config>): {
  readonly current: readonly string[];
  readonly former: readonly string[];
} {
  const all = namedSettings(program);
  return { current: all.map(({ name }) => name), former: all.flatMap(({ setting }) => setting.former?.name ?? []) };
}

function invalid<Config>(program: Program<Config>, name: string, reason: string): Error {
  return settingErrors.CONFIG_INVALID({ name, reason, program: program.name });
}
