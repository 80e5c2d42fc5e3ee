// A step's spec with its references still in it. Those in manifests stand in the texts of objects: what is put there can't
// become another field or another object, whoever wrote it in the cluster.
import { executeErrors } from "../../errors.ts";
import { readDocuments, YamlProblem } from "../../manifests/yaml/index.ts";
import { type FillIn, fillIn, findMentions } from "./fill-in.ts";
import { referenceBegin } from "./references.ts";

export interface Template {
  readonly needs: ReadonlySet<string>;
  fill(how: FillIn): unknown;
}

/** Throws a SyntaxProblem for a reference that isn't one, and COMMAND_SPEC_INVALID for manifests that can't be read. */
export function openTemplate(options: {
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly earlier: ReadonlySet<string>;
}): Template {
  const { kind, spec, earlier } = options;
  const { manifests } = spec;
  if (kind !== "manifests" || typeof manifests !== "string" || !manifests.includes(referenceBegin))
    return { needs: findMentions(spec, earlier), fill: (how) => fillIn(spec, how) };
  const taken = { ...spec, manifests: readObjects(manifests) };
  return {
    needs: findMentions(taken, earlier),
    fill(how) {
      const filled = fillIn(taken, how) as typeof taken;
      return { ...filled, manifests: filled.manifests.map((object) => JSON.stringify(object)).join("\n---\n") };
    },
  };
}

function readObjects(text: string): readonly unknown[] {
  try {
    return readDocuments(text).flatMap(({ value }) => (value === undefined ? [] : [value]));
  } catch (error) {
    if (error instanceof YamlProblem) throw executeErrors.COMMAND_SPEC_INVALID({ detail: error.message });
    throw error;
  }
}
