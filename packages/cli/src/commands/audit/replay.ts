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
    .description("play a recorded exec or attach session in this terminal")
    .argument("<request>", "the id of its request")
    .option("--speed <factor>", "how much faster than it was", parseSpeed, 1)
    .option("--max-pause <time>", "cut pauses down to this, such as 2s", parseSpan)
    .option("-o, --output <file>", "write it to a file instead (asciicast v2, for asciinema and others)")
    .action((request: string, options: ReplayOptions, command: Command) => replay(open(command), request, options));
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!Number.isFinite(speed) || speed <= 0) throw usage(`'${text}' isn't a speed.`, "Write it like 2 or 0.5.");
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
