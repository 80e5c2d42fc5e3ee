import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ADDON_UNKNOWN: {
    message: "There is no addon '{addon}' in the catalogue.",
    hint: "`fairlead addons list` names them all.",
  },
  ADDON_NOT_INSTALLABLE: {
    message: "The addon '{addon}' has no chart in the catalogue.",
    hint: "Its provider brings it, or there are several ways to install it; the page of its checks names them.",
  },
  ADDON_UNSUPPORTED: {
    message: "The addon '{addon}' isn't for clusters of the type {type}.",
    hint: "Choose another addon, or give the right type by --type.",
  },
  ADDON_ORDER_CIRCULAR: {
    message: "These addons each want another of them first: {addons}.",
  },
} as const;

export const installErrors: Errors<typeof table> = defineErrors(table);
