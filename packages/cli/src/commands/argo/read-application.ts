import type { PutApplicationRequest } from "@fairlead/contract";
import { usage } from "../../errors.ts";
import type { Terminal } from "../../terminal.ts";
import { readMap } from "../read-map.ts";

/** Reads the parts of a manifest that the hub takes. Throws CLI_USAGE. */
export async function readApplication(
  terminal: Pick<Terminal, "stdin">,
  file: string,
  name: string,
): Promise<PutApplicationRequest> {
  const manifest = await readMap(terminal, file, { what: "an application", example });
  const { kind, metadata = {}, spec } = manifest as Partial<Manifest>;
  if (kind !== "Application") throw usage(`${file} isn't an Application.`, example);
  if (metadata.name !== undefined && metadata.name !== name)
    throw usage(`The application in ${file} is '${metadata.name}', not '${name}'.`);
  if (typeof spec !== "object" || spec === null) throw usage(`${file} has no spec.`, example);
  const { labels, annotations, finalizers } = metadata;
  return {
    spec,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
}

/** The hub checks the rest. */
interface Manifest {
  readonly kind: unknown;
  readonly metadata: Pick<PutApplicationRequest, "labels" | "annotations" | "finalizers"> & {
    readonly name?: unknown;
  };
  readonly spec: PutApplicationRequest["spec"] | null;
}

const example = "It is written like: {kind: Application, spec: {source: {repoURL: …, path: …}, destination: {…}}}";
