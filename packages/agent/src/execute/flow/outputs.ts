// What later steps get of an earlier one: a few members of its result, by its kind. Pure.
import { Fields } from "@fairlead/kube";
import type { Output } from "./values/fill-in.ts";

export type Outputs = Readonly<Record<string, Output>>;

/** Of the redacted result: what is secret isn't in it. */
export function outputsOf(kind: string, result: unknown): Outputs {
  const known = projections[kind]?.(new Fields(result)) ?? {};
  return Object.fromEntries(Object.entries(known).filter(([name]) => outputName.test(name)));
}

type Projection = (result: Fields) => Outputs;

const projections: Readonly<Record<string, Projection>> = {
  manifests: members("objects"),
  helm: members("revision", "status"),
  wait: outputMembers,
  tofu: secretOutputs,
};

function members(...names: readonly string[]): Projection {
  return (result) =>
    Object.fromEntries(
      names
        .map((name) => [name, result.at(name)] as const)
        .flatMap(([name, field]) => (field.raw === undefined ? [] : [[name, { value: field.raw }]])),
    );
}

/** All of `outputs`. */
function outputMembers(result: Fields): Outputs {
  return Object.fromEntries(
    result
      .at("outputs")
      .entries()
      .map(([name, field]): [string, Output] => [name, { value: field.raw }]),
  );
}

/** Where in the cluster they are: the values themselves never pass through a flow. */
function secretOutputs(result: Fields): Outputs {
  const secret = result.at("secret").raw;
  const outputs = result.at("outputs").raw;
  if (typeof secret !== "string" || !Array.isArray(outputs)) return {};
  const names = outputs.map((output) => new Fields(output).at("name").raw).filter((name) => typeof name === "string");
  return Object.fromEntries(names.map((name): [string, Output] => [name, { secret: `\${secret:${secret}/${name}}` }]));
}

const outputName = /^[A-Za-z_][\w-]{0,62}$/;
