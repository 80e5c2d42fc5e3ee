// A chart whose templates give out kept text as it is: helm makes of it what people approved, whatever the clock, the
// cluster or chance would make of the real chart by now.
import type { Rendering } from "./rendering.ts";

/** By path. Helm sorts by path before it sorts by kind, so numbers keep the order. */
export function literalFiles(rendering: Rendering): Readonly<Record<string, string>> {
  const { metadata, defaults, documents, hooks, crds, notes } = rendering;
  const files = new Map([
    ["Chart.yaml", JSON.stringify(metadata)],
    ["values.yaml", JSON.stringify(defaults)],
  ]);
  for (const [index, crd] of crds.entries()) files.set(`crds/${number(index)}.yaml`, crd);
  for (const [index, document] of documents.entries()) keep(`made-${number(index)}.yaml`, document);
  for (const [index, { manifest }] of hooks.entries()) keep(`hook-${number(index)}.yaml`, manifest);
  if (notes !== "") keep("NOTES.txt", notes);
  return Object.fromEntries(files);

  function keep(name: string, text: string): void {
    files.set(`kept/${name}`, text);
    files.set(`templates/${name}`, `{{ .Files.Get "kept/${name}" }}`);
  }
}

function number(index: number): string {
  return String(index).padStart(6, "0");
}
