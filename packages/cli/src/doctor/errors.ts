import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_DUMP_INVALID: {
    httpStatus: 400,
    message: "{file}, line {line}, column {column}: {why}.",
    hint: "The folder may hold nothing but objects as 'kubectl get -o yaml' or '-o json' writes them.",
    meaning:
      "A file of that folder can't be read, or holds something that isn't an object; the message names file, line and column.",
    remedy: "Repair the file, or take it out of the folder.",
  },
  CLI_DUMP_TOO_LARGE: {
    httpStatus: 400,
    message: "{what} is too large: {limit} is the most.",
    hint: "Leave out kinds that no check needs (Events, ReplicaSets), or write large ones with '-o json'.",
    meaning: "That folder, or a file in it, is larger than what is read.",
  },
  CLI_DUMP_EMPTY: {
    httpStatus: 400,
    message: "{folder} has no objects in files that end in .yaml, .yml or .json.",
    hint: "Write some there: kubectl get deployments,statefulsets,daemonsets,nodes -A -o json > DIR/objects.json",
    meaning: "The folder of `fairlead doctor --from` has no objects in files that end in `.yaml`, `.yml` or `.json`.",
  },
} as const;

export const doctorCommandErrors: Errors<typeof table> = defineErrors(table);
