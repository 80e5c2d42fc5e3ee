import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ADDON_UNKNOWN: {
    message: "There is no addon '{addon}' in the catalogue.",
    hint: "`fairlead addon list` names them all.",
  },
  ADDON_NOT_INSTALLABLE: {
    message: "The addon '{addon}' has no chart in the catalogue.",
    hint: "Its provider brings it, or there are several ways to install it; the page of its checks names them.",
  },
  ADDON_UNSUPPORTED: {
    message: "The addon '{addon}' isn't for clusters of the type {type}.",
    hint: "Choose another addon, or give the right type by --type.",
  },
  ADDON_NOT_INSTALLED: {
    httpStatus: 404,
    message: "The addon '{addon}' isn't installed here by Helm or by Argo CD.",
    hint: "'fairlead doctor' says how it is; 'fairlead addon install {addon}' installs it where it is missing.",
  },
  ADDON_CHART_OTHER: {
    httpStatus: 409,
    message: "The addon '{addon}' is installed from the chart '{chart}', and the catalogue knows '{expected}'.",
    hint: "Upgrade it the way in which it was installed.",
  },
  ADDON_NOT_UPGRADABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be upgraded here: {why}.",
  },
  ADDON_NOT_ADOPTABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be adopted here: {why}.",
  },
  ADDON_ADOPTION_TRACKING: {
    httpStatus: 409,
    message: "Argo CD marks objects here by a label that the charts of addons set themselves.",
    hint: "Set 'application.resourceTrackingMethod: annotation' in argocd-cm first, or adopt with --through helm.",
  },
  ADDON_ADOPTION_DIFFERS: {
    httpStatus: 409,
    message: "Adopting '{addon}' would change what runs: {what}.",
    hint: "Say what was changed by hand as values with --values {addon}=FILE, or put it back first. Nothing was changed.",
  },
  ADDON_VALUES_SECRET: {
    httpStatus: 409,
    message: "The values of '{addon}' hold secrets, which would leave the cluster with its application: {paths}.",
    hint: "Move them to a Secret that the chart refers to. If you adopt with --through helm, they stay in the cluster as they are.",
  },
  ADDON_ORDER_CIRCULAR: {
    message: "Each of these addons needs another of them to be installed first: {addons}.",
  },
} as const;

export const installErrors: Errors<typeof table> = defineErrors(table);
