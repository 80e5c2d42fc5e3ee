import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_HIDDEN: {
    message: "Not all {resource} could be read: {why}.",
    hint: "Allow get, list and watch of {resource} in all namespaces, and run the checks again.",
    meaning:
      "A check needs objects that the reader isn't allowed to see. The result of the check is unknown; it neither passes nor fails.",
    remedy: "Allow get, list and watch of the resource that the message names, and run the checks again.",
  },
  DOCTOR_NOT_RUNNING: {
    message: "Not running: {object} is only planned.",
    hint: "Run the checks again in the cluster when the object exists.",
    meaning:
      "A check needs to know how an object runs, but the files contain the object as rendered, without uid and status. The result of the check is unknown.",
  },
} as const;

export const doctorErrors: Errors<typeof table> = defineErrors(table);
