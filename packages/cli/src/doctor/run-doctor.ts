import { type Fitness, judgeFitness, type Report } from "@fairlead/doctor";
import type { CommandContext } from "../context.ts";
import { usage } from "../errors.ts";
import { clientVersion } from "../version.ts";
import { openAccess, readCluster } from "./cluster/index.ts";
import { readDump } from "./dump/index.ts";
import { type Examination, formatFixes, formatJunit, formatReport, toDocument, toSarif } from "./formats/index.ts";
import { type DoctorOptions, splitNames } from "./options.ts";
import { type Question, readQuestion } from "./question.ts";

/** Reads a cluster or a folder, judges it, prints the answer in the format that was asked for, and says whether it is fit. */
export async function runDoctor(context: CommandContext, options: DoctorOptions): Promise<Fitness["is"]> {
  const isOther = options.junit || options.sarif || options.fix;
  if (context.output.isJson && isOther) throw usage("--json can't be combined with another format.", "Remove --json.");
  if (options.complete && options.from === undefined) throw usage("--complete requires --from.", "Add --from.");
  const question = await readQuestion(options, new Date(context.terminal.now()));
  const readSource = options.from === undefined ? readFromCluster : readFromFolder;
  const { examined, ...source } = await readSource(context, options, question);
  const report = question.narrow(examined);
  const fitness = judgeFitness(report, question.alternativesOf);
  print(context, options, { report, fitness, ...source });
  return fitness.is;
}

interface Source extends Pick<Examination, "rightsMissing" | "read" | "placeOf"> {
  readonly examined: Report;
}

async function readFromCluster(
  { terminal: { environment, trace }, signal }: CommandContext,
  options: DoctorOptions,
  { examine }: Question,
): Promise<Source> {
  const { kubeconfigFiles, variables } = environment;
  const { kubeconfig, context } = options;
  const access = await openAccess({ kubeconfig, context, kubeconfigFiles, variables });
  const namespaces = splitNames(options.namespaces) ?? [access.namespace];
  const reading = await readCluster({
    access,
    examine,
    namespaces,
    signal,
    trace,
    lateness: AbortSignal.timeout(options.timeout),
  });
  return { ...reading, placeOf: () => undefined };
}

async function readFromFolder(
  { output, signal }: CommandContext,
  { from = ".", complete: isComplete = false }: DoctorOptions,
  { examine }: Question,
): Promise<Source> {
  const { snapshot, skippedLinks, read, placeOf } = await readDump({ folder: from, isComplete, signal });
  const [first] = skippedLinks;
  if (first !== undefined)
    output.notice(`Symbolic links aren't followed: ${output.safe(first)} and ${skippedLinks.length - 1} more.`);
  return { examined: examine(snapshot), rightsMissing: [], read, placeOf };
}

function print({ output }: CommandContext, options: DoctorOptions, examination: Examination): void {
  if (options.junit) output.print(formatJunit(examination));
  else if (options.sarif) output.printJson(`${JSON.stringify(toSarif(examination, clientVersion), undefined, 2)}\n`);
  else if (options.fix) output.print(formatFixes(examination));
  else output.answer(toDocument(examination), () => formatReport(examination, output));
}
