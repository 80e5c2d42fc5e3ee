import type { CommandKindName } from "@fairlead/contract";

type Spec = Readonly<Record<string, unknown>>;

/**
 * Sets of manifests are text for agents. In templates they are `objects` instead, which values can be put into without
 * becoming anything else than values. They are written as JSON, which is YAML.
 */
export function toManifests(kind: CommandKindName, spec: Spec): Spec {
  if (kind === "manifests") return withText(spec);
  const { steps } = spec;
  if (kind !== "flow" || !Array.isArray(steps)) return spec;
  return { ...spec, steps: steps.map((step) => (isMap(step) ? ofStep(step) : (step as unknown))) };
}

function ofStep(step: Spec): Spec {
  const { manifests } = step;
  return isMap(manifests) ? { ...step, manifests: withText(manifests) } : step;
}

function withText({ objects, ...spec }: Spec): Spec {
  // With both members, `objects` stays and is refused as unknown.
  if (!Array.isArray(objects) || spec["manifests"] !== undefined)
    return objects === undefined ? spec : { ...spec, objects };
  return { ...spec, manifests: objects.map((object) => JSON.stringify(object)).join("\n---\n") };
}

function isMap(value: unknown): value is Spec {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
