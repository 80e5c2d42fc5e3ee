import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DECLARATIONS_UNREADABLE: {
    message: "The declarations in {place} are unreadable: {reason}.",
    hint: "Set --declarations to a folder with *.yaml or *.yml files that the hub's user can read.",
    meaning: "The folder of `--declarations`, or a file in it, is unreadable; the message says which and why.",
  },
  DECLARATIONS_NONE: {
    message: "The folder {folder} contains no declarations: it has no *.yaml or *.yml file.",
    hint: "Set the right folder. To declare nothing on purpose, add a file without documents.",
    meaning:
      "The folder of `--declarations` has no `*.yaml` or `*.yml` file. It may be the wrong folder, so the hub doesn't delete everything.",
  },
  DECLARATIONS_TOO_MANY: {
    message: "The declarations in {folder} exceed a limit: {problem}.",
    hint: "See docs/declarations.md for the limits.",
    meaning: "The files of `--declarations` exceed [the limits](declarations.md#bounds) in number or size.",
    remedy: "Remove files that aren't for the hub, or use a separate folder.",
  },
  DECLARATIONS_DIFFER: {
    message:
      "The files in {folder} differ from the declarations in force, which come from another hub of this database.",
    hint: "Give all hubs the same files. Declarations stay in force while a hub has them, and for a minute after that.",
    meaning:
      "The files of this hub differ from the declarations in force, which come from another hub of the same database ([several hubs](declarations.md#several-hubs)). Meanwhile this hub changes nothing.",
    remedy:
      "Give all hubs the same files. While new files reach the nodes one by one, this error is normal for about a minute.",
  },
  DECLARATION_SYNTAX: {
    message: "{file}, line {line}: the YAML is invalid: {reason}.",
    hint: "Correct the file. A running hub keeps the previous declarations.",
    meaning: "A file of `--declarations` is invalid YAML; the message has file and line.",
  },
  DECLARATION_INVALID: {
    message: "{file}, line {line}: {what}: {problem}.",
    hint: "See docs/declarations.md for each kind. A running hub keeps the previous declarations.",
    meaning:
      "A document is invalid for its kind, is declared twice, or names an undeclared role or robot; the message has file, line and member.",
    remedy: "Correct the file. A running hub keeps the previous declarations.",
  },
  DECLARATIONS_OFF: {
    httpStatus: 404,
    message: "This hub isn't configured by files.",
    hint: "To configure it by files, start it with --declarations FOLDER.",
    meaning: "A client requested the declarations of a hub that has none.",
    remedy:
      "To configure the hub by files, start it with `--declarations FOLDER` ([declarations.md](declarations.md)).",
  },
  DECLARED_READ_ONLY: {
    httpStatus: 409,
    message: "The {what} is declared in {file} and can't be changed here.",
    hint: "{advice}",
    meaning: "A file declares the object that the request changes; the message names the file.",
    remedy: "Change the file: the hub reads it again within seconds.",
  },
  DECLARED_ONLY: {
    httpStatus: 409,
    message: "This hub stores nothing, so it would lose the cluster {name} at its next restart.",
    hint: "Declare the cluster in a file of --declarations, then create a join token: `fairlead cluster token create {name}`.",
    meaning: "A cluster can't be added through the API of a hub that stores nothing.",
  },
} as const;

export const declarationErrors: Errors<typeof table> = defineErrors(table);
