// Sync windows of a project, as the Argo CD on the other side has to read them. Pure.
import { readGlob } from "./glob.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface WindowNames {
  /** Whether a pattern of `clusters` names the cluster on this side. */
  readonly isNamed: (pattern: string) => boolean;
  /** What the cluster is called on the other side. */
  readonly otherNames: readonly string[];
}

/**
 * Windows for the cluster name it as the other side does. A window for other clusters alone is left out: Argo CD applies
 * none to an application that no window matches.
 */
export function mapWindows(windows: readonly unknown[], names: WindowNames): unknown[] {
  let left = maxPatterns;
  return windows.flatMap((window) => {
    const { clusters } = (window ?? {}) as Fields;
    if (!Array.isArray(clusters) || clusters.length === 0) return [window];
    left -= clusters.length;
    const isNamed = left < 0 || clusters.some((pattern) => isNamedBy(pattern, names));
    return mapWindow(window as Fields, isNamed ? names.otherNames : []);
  });
}

/** With `andOperator` all conditions have to hold, without it one of them. */
function mapWindow({ clusters: _clusters, ...others }: Fields, clusters: readonly string[]): Fields[] {
  if (clusters.length > 0) return [{ ...others, clusters }];
  const isOther =
    others["andOperator"] === true || !(isFilled(others["applications"]) || isFilled(others["namespaces"]));
  return isOther ? [] : [others];
}

/** A pattern that can't be read names the cluster: without the window something could sync that it holds back. */
function isNamedBy(pattern: unknown, { isNamed }: WindowNames): boolean {
  return typeof pattern === "string" && (readGlob(pattern) === undefined || isNamed(pattern));
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Of all windows of a project. Windows with further patterns count as windows for the cluster. */
const maxPatterns = 1_000;
