import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DECLARATIONS_UNREADABLE: {
    message: "The declarations in {place} can't be read: {reason}.",
    hint: "--declarations names a folder that the hub's user may read, with files *.yaml or *.yml in it.",
  },
  DECLARATIONS_NONE: {
    message: "The folder {folder} holds no declarations: there is no file *.yaml or *.yml in it.",
    hint: "Name the right folder. To declare nothing on purpose, put a file without documents into it.",
  },
  DECLARATIONS_TOO_MANY: {
    message: "The declarations in {folder} are more than the hub takes: {problem}.",
    hint: "docs/declarations.md has the bounds.",
  },
  DECLARATIONS_DIFFER: {
    message:
      "The files in {folder} differ from the declarations in force, which another hub of this database has in its files.",
    hint: "Give all hubs the same files. Declarations stay in force while a hub has them, and for a minute after the last one had.",
  },
  DECLARATION_SYNTAX: {
    message: "{file}, line {line}: this isn't YAML: {reason}.",
    hint: "Mend the file. A hub that runs goes on by what was declared before.",
  },
  DECLARATION_INVALID: {
    message: "{file}, line {line}: {what}: {problem}.",
    hint: "docs/declarations.md describes each kind. A hub that runs goes on by what was declared before.",
  },
  DECLARATIONS_OFF: {
    httpStatus: 404,
    message: "Nothing is declared by files at this hub.",
    hint: "A hub that is started with --declarations FOLDER goes by the files there.",
  },
  DECLARED_READ_ONLY: {
    httpStatus: 409,
    message: "The {what} is declared in {file}, and the hub goes by that.",
    hint: "{advice}",
  },
  DECLARED_ONLY: {
    httpStatus: 409,
    message: "This hub keeps nothing: it would not know the cluster {name} any more after its next start.",
    hint: "Declare the cluster in a file of --declarations; `fairlead cluster token create {name}` makes a join token for it then.",
  },
} as const;

export const declarationErrors: Errors<typeof table> = defineErrors(table);
