// Later steps get a few members of an earlier step's result; its kind decides which. Pure.
import { Fields } from "@fairlead/kube";
import type { Output } from "./values/fill-in.ts";

export type Outputs = Readonly<Record<string, Output>>;

/** Reads the redacted result, so that no secret is among the outputs. */
export function outputsOf(kind: string, result: unknown): Outputs {
  const known = (projections[kind] ?? outputMembers)(new Fields(result));
  return Object.fromEntries(Object.entries(known).filter(([name]) => outputName.test(name)));
}

type Projection = (result: Fields) => Outputs;

const projections: Readonly<Record<string, Projection>> = {
  manifests: members("objects"),
  helm: members("revision", "status"),
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

/** Its values are in a Secret of the cluster alone: what is handed on is where. */
function secretOutputs(result: Fields): Outputs {
  const secret = result.at("outputsSecret").text();
  if (secret === undefined) return {};
  const names = result
    .at("outputs")
    .list()
    .map((output) => output.at("name").text() ?? "");
  return Object.fromEntries(names.map((name) => [name, { secret: `\${secret:${secret}/${name}}` }]));
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

const outputName = /^[A-Za-z_][\w-]{0,62}$/;
