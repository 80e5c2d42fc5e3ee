// A revision of a release, as Helm keeps it in a Secret.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Fields, type KubeObject } from "../objects/index.ts";

export interface Release {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly status: string;
  readonly description: string;
  readonly chart: { readonly name: string; readonly version: string; readonly appVersion: string | undefined };
  /** Those that a person gave, without the chart's own. They may hold secrets. */
  readonly values: Readonly<Record<string, unknown>>;
  /** YAML, without hooks. */
  readonly manifest: string;
  readonly notes: string;
  readonly hooks: readonly Hook[];
  /** Helm applied its objects on the client. */
  readonly isClientSide: boolean;
}

export interface Hook {
  readonly kind: string;
  readonly name: string;
  /** `pre-install`, `test` … */
  readonly events: readonly string[];
  readonly manifest: string;
  /** `Running`, `Succeeded`, `Failed`, `Unknown`; undefined before it ran. */
  readonly phase: string | undefined;
}

/**
 * Unpacks the JSON that Helm wrote into a release's Secret. Undefined for other Secrets. With `exact` numbers that
 * JavaScript would write in another way, such as integers of more than 53 bits, become what JSON.stringify writes with
 * all their digits: for what is packed again.
 */
export async function unpackRelease(
  secret: KubeObject,
  { numbers = "rounded" }: { readonly numbers?: "rounded" | "exact" } = {},
): Promise<unknown> {
  const data = new Fields(secret).at("data", "release").text();
  if (data === undefined) return undefined;
  try {
    const packed = Buffer.from(Buffer.from(data, "base64").toString("latin1"), "base64");
    const text = (await promisify(gunzip)(packed, { maxOutputLength: maxBytes })).toString("utf8");
    return numbers === "exact" ? sourceJson.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function packRelease(release: unknown): Promise<string> {
  const packed = await promisify(gzip)(JSON.stringify(release));
  return Buffer.from(packed.toString("base64"), "latin1").toString("base64");
}

export function readRelease(value: unknown): Release | undefined {
  const release = new Fields(value);
  const name = release.at("name").text();
  const revision = release.at("version").number();
  if (name === undefined || revision === undefined) return undefined;
  const info = release.at("info");
  const metadata = release.at("chart", "metadata");
  return {
    name,
    revision,
    namespace: release.at("namespace").text() ?? "",
    status: info.at("status").text() ?? "unknown",
    description: info.at("description").text() ?? "",
    chart: {
      name: metadata.at("name").text() ?? "",
      version: metadata.at("version").text() ?? "",
      appVersion: metadata.at("appVersion").text(),
    },
    values: Object.fromEntries(
      release
        .at("config")
        .entries()
        .map(([key, value]) => [key, value.raw]),
    ),
    manifest: release.at("manifest").text() ?? "",
    notes: info.at("notes").text() ?? "",
    hooks: release.at("hooks").list().map(readHook),
    isClientSide: release.at("apply_method").text() !== "ssa",
  };
}

function readHook(hook: Fields): Hook {
  return {
    kind: hook.at("kind").text() ?? "",
    name: hook.at("name").text() ?? "",
    events: hook
      .at("events")
      .list()
      .map((event) => event.text() ?? ""),
    manifest: hook.at("manifest").text() ?? "",
    phase: hook.at("last_run", "phase").text(),
  };
}

function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isChanged = typeof value === "number" && source !== undefined && JSON.stringify(value) !== source;
  return isChanged ? sourceJson.rawJSON(source) : value;
}

/** This Node knows it, and the types of ES2023 don't. */
const sourceJson = JSON as unknown as {
  parse(text: string, reviver: typeof keepDigits): unknown;
  rawJSON(text: string): unknown;
};

/** A Secret holds 1 MiB, packed. */
const maxBytes = 32 * 1024 * 1024;
