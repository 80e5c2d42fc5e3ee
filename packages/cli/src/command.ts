import type { EventEmitter } from "node:events";
import { Command as CommanderCommand, Option } from "commander";
import type { PrintedObject } from "./formats/index.ts";
import type { AnswerFormat } from "./output/index.ts";

/** A row of the table of commands, from which help, completion and docs/reference/cli.md are made. */
export class Command extends CommanderCommand {
  readonly #examples: string[] = [];
  readonly #formerPaths: string[] = [];
  readonly #formerOptions: FormerOption[] = [];
  #printed: PrintedObject | undefined;
  /** Known once the command line is understood. */
  answerFormat: AnswerFormat | undefined;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Command lines that the long help shows, each as a person types it. */
  examples(...lines: readonly string[]): this {
    this.#examples.push(...lines);
    return this.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`.trimEnd());
  }

  /** Words after `fairlead` that named this command before: they still work, with a warning, and no help lists them. */
  formerly(...paths: readonly string[]): this {
    this.#formerPaths.push(...paths);
    return this;
  }

  /** Flags that an option had before: `formerOption("--by <user>", "--user")`. */
  formerOption(flags: string, option: string): this {
    const former = new Option(flags).hideHelp();
    this.#formerOptions.push({ flags, option });
    this.addOption(former);
    return this.on(`option:${former.name()}`, (value: unknown) => {
      const now = this.options.find(({ long }) => long === option);
      this.warn(`'${former.long ?? former.short}' is now '${option}'.`);
      // commander sets an option when it hears of it; its types leave out that it is an emitter.
      if (now) (this as unknown as EventEmitter).emit(`option:${now.name()}`, value);
    });
  }

  /** It prints objects of this type: `-o name` and `-o custom-columns` are for these. */
  prints(type: string, nameOf?: PrintedObject["nameOf"]): this {
    this.#printed = { type, nameOf };
    return this;
  }

  /** Tells people on standard error of something that the command does all the same. */
  warn(text: string): void {
    this.configureOutput().writeErr?.(`Warning: ${text}\n`);
  }

  get printed(): PrintedObject | undefined {
    return this.#printed;
  }

  get shownExamples(): readonly string[] {
    return this.#examples;
  }

  get formerPaths(): readonly string[] {
    return this.#formerPaths;
  }

  get formerOptions(): readonly FormerOption[] {
    return this.#formerOptions;
  }

  get children(): readonly Command[] {
    return this.commands.filter((child) => child instanceof Command);
  }

  /** As it is typed: `fairlead run list`. */
  get path(): string {
    return this.parent instanceof Command ? `${this.parent.path} ${this.name()}` : this.name();
  }
}

export interface FormerOption {
  readonly flags: string;
  /** The long flag that took its place. */
  readonly option: string;
}
