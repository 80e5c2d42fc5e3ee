import { Fields } from "@fairlead/kernel";
import type { Snapshot } from "../snapshot/index.ts";
import { type Container, isImage, parseImage, seenPodsOf, type Workload } from "../workloads/index.ts";
import { chartOf } from "./chart-label.ts";
import type { ComponentSignal, Signals } from "./signals.ts";

/**
 * The version of an addon: the tag of its main image; else the tag that its pods run, where the spec says `auto`, `latest`
 * or only a digest; else the version label; else what its definitions say; else the chart's version.
 */
export function readVersion(options: {
  readonly signals: Signals;
  readonly signal: ComponentSignal;
  readonly workload: Workload;
  readonly snapshot: Snapshot;
}): string | undefined {
  const { signals, signal, workload, snapshot } = options;
  const container = mainContainer(signal, workload);
  return (
    versionOfTag(container?.image) ??
    runningVersion({ workload, container, snapshot }) ??
    labelledVersion(workload) ??
    versionOfDefinitions(signals, snapshot) ??
    chartOf(new Fields(workload.object).at("metadata", "labels"))?.version
  );
}

/** Some projects write the version that a CRD came with onto it. That of controller-gen, beside it, is another one. */
export function versionOfDefinitions({ resources }: Signals, snapshot: Snapshot): string | undefined {
  const definitions = snapshot.listSeen("customresourcedefinitions.apiextensions.k8s.io");
  for (const resource of resources) {
    const metadata = new Fields(definitions.find(({ metadata: { name } }) => name === resource)).at("metadata");
    const marks = [
      ...["operator.prometheus.io/version", "gateway.networking.k8s.io/bundle-version"].map((name) =>
        metadata.at("annotations", name),
      ),
      metadata.at("labels", "app.kubernetes.io/version"),
    ];
    const version = marks.map((mark) => parseVersion(mark.text())).find((each) => each !== undefined);
    if (version !== undefined) return version;
  }
  return undefined;
}

function mainContainer({ images, versionContainer }: ComponentSignal, { containers }: Workload): Container | undefined {
  if (versionContainer !== undefined) return containers.find(({ name }) => name === versionContainer);
  return containers.find(({ image }) => images?.some((suffix) => isImage(image, suffix))) ?? containers[0];
}

function versionOfTag(image: string | undefined): string | undefined {
  return image === undefined ? undefined : parseVersion(parseImage(image).tag);
}

/** `v1.54.0-eksbuild.1` is 1.54.0; builds and base images are no part of it, early releases are. */
function parseVersion(text: string | undefined): string | undefined {
  return /^v?(\d+(?:\.\d+){1,3}(?:-(?:alpha|beta|rc)[.\d]*)?)(?:[-+.].*)?$/.exec(text ?? "")?.[1];
}

function runningVersion(options: {
  readonly workload: Workload;
  readonly container: Container | undefined;
  readonly snapshot: Snapshot;
}): string | undefined {
  const { workload, container, snapshot } = options;
  const versions = seenPodsOf(workload, snapshot)
    .flatMap((pod) => new Fields(pod).at("status", "containerStatuses").list())
    .filter((status) => container === undefined || status.at("name").text() === container.name)
    .map((status) => versionOfTag(status.at("image").text()))
    .filter((version) => version !== undefined);
  return versions.toSorted()[0];
}

/** kube-prometheus-stack writes its chart's version there, which its label `chart` tells. */
function labelledVersion({ object }: Workload): string | undefined {
  const labels = new Fields(object).at("metadata", "labels");
  const version = labels.at("app.kubernetes.io/version").text();
  const isCharts = version !== undefined && labels.at("chart").text()?.endsWith(`-${version}`) === true;
  return isCharts ? undefined : parseVersion(version);
}
