import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DECLARATIONS_UNREADABLE: {
    message: "The declarations in {place} can't be read: {reason}.",
    hint: "--declarations names a folder that the hub's user may read, with files *.yaml or *.yml in it.",
    meaning: "The folder of `--declarations`, or a file in it, can't be read; the message says which and why.",
  },
  DECLARATIONS_NONE: {
    message: "The folder {folder} holds no declarations: there is no file *.yaml or *.yml in it.",
    hint: "Name the right folder. To declare nothing on purpose, put a file without documents into it.",
    meaning:
      "The folder of `--declarations` has no file `*.yaml` or `*.yml`. It may be the wrong one, so the hub doesn't take everything away.",
  },
  DECLARATIONS_TOO_MANY: {
    message: "The declarations in {folder} are more than the hub takes: {problem}.",
    hint: "docs/declarations.md has the bounds.",
    meaning: "The files of `--declarations` are more or larger than [the bounds](declarations.md#bounds).",
    remedy: "Take out what isn't meant for the hub, or name a folder of their own.",
  },
  DECLARATIONS_DIFFER: {
    message:
      "The files in {folder} differ from the declarations in force, which another hub of this database has in its files.",
    hint: "Give all hubs the same files. Declarations stay in force while a hub has them, and for a minute after the last one had.",
    meaning:
      "The files of this hub aren't those in force, which another hub on the same database has ([several hubs](declarations.md#several-hubs)). This hub changes nothing meanwhile.",
    remedy:
      "Give all hubs the same files. For a minute or so, while new files reach one node after another, it is nothing to mend.",
  },
  DECLARATION_SYNTAX: {
    message: "{file}, line {line}: this isn't YAML: {reason}.",
    hint: "Mend the file. A hub that runs goes on by what was declared before.",
    meaning: "A file of `--declarations` isn't YAML; the message has file and line.",
  },
  DECLARATION_INVALID: {
    message: "{file}, line {line}: {what}: {problem}.",
    hint: "docs/declarations.md describes each kind. A hub that runs goes on by what was declared before.",
    meaning:
      "A document isn't what its kind may be, is there twice, or names a role or robot that isn't declared; the message has file, line and member.",
    remedy: "Mend the file. A hub that runs goes on by what was declared before.",
  },
  DECLARATIONS_OFF: {
    httpStatus: 404,
    message: "Nothing is declared by files at this hub.",
    hint: "A hub that is started with --declarations FOLDER goes by the files there.",
    meaning: "The hub was asked what is declared, and goes by no files.",
    remedy: "Start it with `--declarations FOLDER`, if it should ([declarations.md](declarations.md)).",
  },
  DECLARED_READ_ONLY: {
    httpStatus: 409,
    message: "The {what} is declared in {file}, and the hub goes by that.",
    hint: "{advice}",
    meaning: "A file declares the thing that was to be changed by the API; the message names it.",
    remedy: "Change the file: the hub reads it again within seconds.",
  },
  DECLARED_ONLY: {
    httpStatus: 409,
    message: "This hub keeps nothing: it would not know the cluster {name} any more after its next start.",
    hint: "Declare the cluster in a file of --declarations; `fairlead cluster token create {name}` makes a join token for it then.",
    meaning: "A cluster was to be added by the API at a hub that keeps nothing.",
  },
} as const;

export const declarationErrors: Errors<typeof table> = defineErrors(table);
