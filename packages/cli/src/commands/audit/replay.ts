import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { writePrivateFile } from "../../files/index.ts";
import { parseSpan } from "../../output/index.ts";
import { playCast } from "../../replay/index.ts";

interface ReplayOptions {
  readonly speed: number;
  readonly maxPause?: number;
  readonly output?: string;
}

export function addReplay(recording: Command, open: OpenContext): void {
  recording
    .command("replay")
    .formerly("audit replay")
    .description("Play a recorded exec or attach session in this terminal")
    .examples("fairlead audit recording replay req_7d3e… --speed 2 --max-pause 2s")
    .argument("<request>", "ID of the session's request, as 'recording list' shows it")
    .option("--speed <factor>", "Speed as a factor, for example 2 for twice as fast", parseSpeed, 1)
    .option("--max-pause <time>", "Maximum length of pauses, for example 2s (default: as recorded)", parseSpan)
    .option("-o, --output <file>", "File to write the recording to instead of playing it (asciicast v2)")
    .action((request: string, options: ReplayOptions, command: Command) => replay(open(command), request, options));
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!Number.isFinite(speed) || speed <= 0) throw usage(`'${text}' isn't a valid speed.`, "Write it like 2 or 0.5.");
  return speed;
}

async function replay(context: CommandContext, request: string, options: ReplayOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const lines = (await context.hub()).readRecording(request, { signal });
  if (options.output !== undefined) return save(context, { request, lines, file: options.output });
  const { stdout } = terminal;
  await playCast(lines, {
    stdout,
    // A file or a program that reads it has no use for the pauses.
    isTimed: stdout.isTTY === true,
    speed: options.speed,
    maxPauseMs: options.maxPause,
    signal,
    remark: output.remark,
  });
}

async function save(
  { output }: CommandContext,
  { request, lines, file }: { readonly request: string; readonly lines: AsyncIterable<string>; readonly file: string },
): Promise<void> {
  const text: string[] = [];
  for await (const line of lines) text.push(`${line}\n`);
  await writePrivateFile(file, text.join(""));
  output.answer({ request, file }, () => `The recording of ${output.safe(request)} is in ${file}.\n`);
}
