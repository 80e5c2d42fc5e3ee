import { z } from "zod";
import { type GitSource, gitSourceSchema } from "../../../git/index.ts";
import { executeErrors } from "../../errors.ts";
import { plainFolder } from "../../inner-folder.ts";
import type { ChartSource } from "../types.ts";
import { objectRefShape, toObjectRef } from "../values/object-ref.ts";

/** Throws COMMAND_SPEC_INVALID. */
export function parseChart(chart: GivenChart): ChartSource {
  if ("git" in chart) {
    const { git } = chart;
    const path = plainFolder(chart.path ?? ".");
    if (path === ".") return { type: "git", git, path: undefined };
    if (!isInnerPath(path)) throw invalid("path isn't a plain path below the repository's root");
    return { type: "git", git, path };
  }
  if ("files" in chart) return { type: "inline", files: checkFiles(chart.files) };
  const { digest } = chart;
  const credentials = chart.credentials && toObjectRef(chart.credentials.secret);
  if ("repository" in chart) {
    const { name, version } = chart;
    return {
      type: "repository",
      url: readUrl(chart.repository, ["https:", "http:"]),
      name,
      version,
      digest,
      credentials,
    };
  }
  const { version, plainHttp: isPlainHttp = false } = chart;
  if (version === undefined && digest === undefined) throw invalid("the chart needs a version or a digest");
  const path = readUrl(chart.oci, ["oci:"]).slice("oci://".length);
  if (!ociPath.test(path)) throw invalid("oci isn't oci://REGISTRY/PATH; version and digest are separate members");
  return { type: "oci", path, version, isPlainHttp, digest, credentials };
}

/** As the policy of the cluster judges it: written in one way only, and without credentials, which stand elsewhere. */
function readUrl(text: string, protocols: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol) || url.host === "")
    throw invalid(`the chart's URL doesn't begin with ${protocols.map((each) => `${each}//`).join(" or ")}`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalid("the chart's URL contains more than an address; name credentials with credentials.secret");
  if (/%|\\|\/\.{1,2}(?:\/|$)/.test(text)) throw invalid("the chart's URL is ambiguous");
  return url.href.replace(/\/+$/, "");
}

function checkFiles(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const paths = Object.keys(files);
  if (!Object.hasOwn(files, "Chart.yaml")) throw invalid("files has no Chart.yaml");
  if (paths.length > maxFiles) throw invalid(`files has more than ${maxFiles} entries`);
  for (const path of paths) {
    if (!isInnerPath(path)) throw invalid("files has a path that isn't a plain path below the chart's folder");
    if (paths.some((other) => other.startsWith(`${path}/`)))
      throw invalid("files has a path that is a folder of another path");
  }
  return files;
}

export function isInnerPath(path: string): boolean {
  if (path.length > 512 || !/^[\x20-\x7e]+$/.test(path) || path.includes("\\")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function invalid(detail: string): Error {
  return executeErrors.COMMAND_SPEC_INVALID({ detail });
}

const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "it is no sha256:…")
  .optional();
const version = z
  .string()
  .max(128)
  .regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]*$/, "it is one version, and no range");
const credentials = z.strictObject({ secret: objectRefShape }).optional();

export type GivenChart =
  | ({ readonly repository: string; readonly name: string; readonly version: string } & GivenFetch)
  | ({
      readonly oci: string;
      readonly version?: string | undefined;
      readonly plainHttp?: boolean | undefined;
    } & GivenFetch)
  | { readonly git: GitSource; readonly path?: string | undefined }
  | { readonly files: Readonly<Record<string, string>> };

interface GivenFetch {
  readonly digest?: string | undefined;
  readonly credentials?: { readonly secret: string } | undefined;
}

export const chartShape: z.ZodType<GivenChart> = z.union([
  z.strictObject({
    repository: z.string().max(2048),
    version,
    digest,
    credentials,
    name: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "it is no name of a chart"),
  }),
  z.strictObject({
    oci: z.string().max(2048),
    version: version.optional(),
    digest,
    credentials,
    plainHttp: z.boolean().optional(),
  }),
  z.strictObject({ git: gitSourceSchema, path: z.string().max(512).optional() }),
  z.strictObject({ files: z.record(z.string(), z.string()) }),
]);

const ociPath = /^[A-Za-z0-9.:[\]-]+(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+$/;
const maxFiles = 1_000;
