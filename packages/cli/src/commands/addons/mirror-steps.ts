// Which images the steps of a plan bring, and how their values take them from one registry.
import type { InstallStep } from "@fairlead/doctor";
import type { Capabilities, Charts } from "../../charts/index.ts";
import type { CommandContext } from "../../context.ts";

export interface StepImages<Step extends InstallStep> {
  /** With values that take images from the registry, where one is given. */
  readonly step: Step;
  readonly images: readonly StepImage[];
}

export interface StepImage {
  readonly image: string;
  /** Where it must be in the registry; left out where none is given. */
  readonly mirror?: string;
  /** No value of the chart says where it comes from. */
  readonly isFixed?: boolean;
}

export async function mirrorSteps<Step extends InstallStep>(
  charts: Charts,
  request: {
    readonly steps: readonly Step[];
    readonly registry: string | undefined;
    readonly capabilities: Capabilities;
  },
): Promise<readonly StepImages<Step>[]> {
  const { collectImages, isMirrored, mergeValues, mirroredImage, valuesOfMirror } = await import("@fairlead/doctor");
  const { steps, registry, capabilities } = request;
  const found: StepImages<Step>[] = [];
  for (const step of steps) {
    const images = await imagesOf(step, step.values);
    if (registry === undefined) {
      found.push({ step, images: images.map((image) => ({ image })) });
      continue;
    }
    const defaults = mergeValues(await charts.defaults(step.chart), step.values);
    const values = mergeValues(step.values, valuesOfMirror({ defaults, images, registry }));
    const fixed = new Set((await imagesOf(step, values)).filter((image) => !isMirrored(image, registry)));
    found.push({
      step: { ...step, values },
      images: images.map((image) => ({
        image,
        mirror: mirroredImage(image, registry),
        ...(fixed.has(image) && { isFixed: true }),
      })),
    });
  }
  return found;

  async function imagesOf({ chart }: InstallStep, values: unknown): Promise<readonly string[]> {
    const { release, namespace } = chart;
    return collectImages(
      await charts.render({ source: chart, release, namespace, values, capabilities, hasCrds: false }),
    );
  }
}

/** Undefined when all of them can be. */
export function describeFixed(
  { output }: Pick<CommandContext, "output">,
  found: readonly StepImages<InstallStep>[],
): string | undefined {
  const fixed = found.flatMap(({ step, images }) =>
    images.filter(({ isFixed }) => isFixed).map(({ image }) => `  ${step.addon}: ${image}`),
  );
  if (fixed.length === 0) return undefined;
  return `No value of their charts says where these images come from; the nodes must know a mirror:\n${fixed.map(output.safe).join("\n")}`;
}
