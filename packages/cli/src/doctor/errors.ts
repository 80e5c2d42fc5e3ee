import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_DUMP_INVALID: {
    httpStatus: 400,
    message: "{file}, line {line}, column {column}: {why}.",
    hint: "The folder must contain only objects as 'kubectl get -o yaml' or '-o json' writes them.",
    meaning:
      "A file in the folder of `fairlead doctor --from` can't be read, or contains something that isn't an object. The message names the file, line and column.",
    remedy: "Correct the file, or remove it from the folder.",
  },
  CLI_DUMP_TOO_LARGE: {
    httpStatus: 400,
    message: "{what} is too large: the maximum is {limit}.",
    hint: "Remove kinds that no check needs (Events, ReplicaSets), or write large ones with '-o json'.",
    meaning: "The folder of `fairlead doctor --from`, or a file in it, is too large to read.",
  },
  CLI_DUMP_EMPTY: {
    httpStatus: 400,
    message: "{folder} has no objects in files that end in .yaml, .yml or .json.",
    hint: "Write objects there, for example: kubectl get deployments,statefulsets,daemonsets,nodes -A -o json > DIR/objects.json",
    meaning: "The folder of `fairlead doctor --from` has no objects in files that end in `.yaml`, `.yml` or `.json`.",
  },
} as const;

export const doctorCommandErrors: Errors<typeof table> = defineErrors(table);
