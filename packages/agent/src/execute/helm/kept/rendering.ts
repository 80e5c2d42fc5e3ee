// All that decides what an upgrade makes: the text that helm rendered, and not the chart that could render another one.
import { Fields, type Hook, readRelease } from "@fairlead/kube";
import { helmErrors } from "../errors.ts";

export interface Rendering {
  /** As Chart.yaml has it, without dependencies: their templates are rendered, too. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The chart's own values. */
  readonly defaults: unknown;
  /** `sha256:…` of the chart that it was rendered from. */
  readonly chartDigest: string;
  /** Those that people gave, with secret ones in clear. */
  readonly values: Readonly<Record<string, unknown>>;
  /** One document each, in helm's order, byte for byte. */
  readonly documents: readonly string[];
  readonly hooks: readonly Hook[];
  /** CustomResourceDefinitions that come before all else; one document each. */
  readonly crds: readonly string[];
  readonly notes: string;
}

/** Throws HELM_MANIFEST_UNREADABLE for what isn't helm's answer to a dry run, and for text that helm wouldn't pass on. */
export function readRendering(answer: unknown, more: Pick<Rendering, "chartDigest" | "values" | "crds">): Rendering {
  const release = readRelease(answer);
  const chart = new Fields(answer).at("chart");
  const metadata = chart.at("metadata").raw;
  if (release === undefined || typeof metadata !== "object" || metadata === null)
    throw helmErrors.HELM_MANIFEST_UNREADABLE({ what: "helm's answer isn't a release" });
  const { dependencies: _dependencies, ...kept } = metadata as Readonly<Record<string, unknown>>;
  const { hooks, notes } = release;
  const documents = splitManifest(release.manifest);
  // Helm takes it out of whatever a template makes, so that other text would be applied than people saw.
  for (const text of [...documents, ...hooks.map(({ manifest }) => manifest), notes])
    if (text.includes("<no value>"))
      throw helmErrors.HELM_MANIFEST_UNREADABLE({ what: "it contains <no value>, which Helm removes" });
  return { ...more, metadata: kept, defaults: chart.at("values").raw ?? {}, documents, hooks, notes };
}

/** As one text; objects are the same, whatever is said of their sources. */
export function manifestOf({ documents }: Pick<Rendering, "documents">): string {
  return documents.map((document) => `---\n${document}\n`).join("");
}

/** Helm begins each document by a line of its own and the name of its template, and ends it by a line break. */
function splitManifest(manifest: string): readonly string[] {
  return manifest
    .split(/^---\n/m)
    .slice(1)
    .map((document) => document.replace(/\n$/, ""));
}

/** `helm show crds` and the files of a chart: documents between lines of `---`. */
export function splitCrds(text: string): readonly string[] {
  return text
    .split(/^---[ \t]*\r?$/m)
    .map((document) => document.trim())
    .filter((document) => document.split("\n").some((line) => line.trim() !== "" && !line.trimStart().startsWith("#")));
}
