// What a configuration says, as our own program reads it before OpenTofu does: some of its blocks run programs at `init`.
import { relative } from "node:path";
import { z } from "zod";
import type { Programs } from "../../programs.ts";
import { tofuErrors } from "../errors.ts";

export interface Inspection {
  /** What can't be read. */
  readonly errors: readonly (Place & { readonly message: string })[];
  /** Types of key providers and methods, and names of the blocks around them. */
  readonly encryption: readonly (Place & { readonly type: string })[];
  /** Of `required_providers`, and those that blocks imply by their types. */
  readonly providers: readonly (Place & Sourced)[];
  readonly modules: readonly (Place & Sourced)[];
  readonly data: readonly (Place & { readonly type: string; readonly name: string })[];
  readonly provisioners: readonly (Place & { readonly type: string })[];
  readonly backends: readonly (Place & { readonly type: string })[];
  /** It has a block `cloud`. */
  readonly cloud: boolean;
}

interface Sourced {
  readonly name: string;
  /** Absent where it isn't a literal, or isn't said. */
  readonly source?: string | null | undefined;
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Undefined without a fence: then OpenTofu may do what the agent's user may. Throws TOFU_SOURCE_UNREADABLE. */
export async function inspectSource(options: {
  readonly programs: Programs;
  /** Where OpenTofu runs, and keeps the modules that it has fetched. */
  readonly folder: string;
  readonly dataFolder: string;
}): Promise<Inspection | undefined> {
  const { programs, folder, dataFolder } = options;
  const root = programs.folder;
  const places = ["--start", relative(root, folder), "--data", relative(root, dataFolder)];
  const answer = await programs.askRunner(["inspect-tofu", "--modules", ...places, root]);
  if (answer === undefined) return undefined;
  const parsed = inspectionShape.safeParse(readJson(answer));
  if (!parsed.success) throw tofuErrors.TOFU_SOURCE_UNREADABLE({ where: "the source", detail: "it can't be read" });
  const [error] = parsed.data.errors;
  if (error) throw tofuErrors.TOFU_SOURCE_UNREADABLE({ where: describePlace(error), detail: error.message });
  return parsed.data;
}

export function describePlace({ file, line }: Place): string {
  const name = file.replace(/^source\//, "");
  return line === 0 ? name : `${name}:${line}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const place = z.object({ file: z.string(), line: z.int() });
const sourced = place.extend({ name: z.string(), source: z.string().nullish() });
const typed = place.extend({ type: z.string() });
const inspectionShape: z.ZodType<Inspection> = z.object({
  errors: z.array(place.extend({ message: z.string() })),
  encryption: z.array(typed),
  providers: z.array(sourced),
  modules: z.array(sourced),
  data: z.array(typed.extend({ name: z.string() })),
  provisioners: z.array(typed),
  backends: z.array(typed),
  cloud: z.boolean(),
});
