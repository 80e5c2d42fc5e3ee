import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ADDON_UNKNOWN: {
    message: "There is no addon '{addon}' in the catalogue.",
    hint: "`fairlead addon list` names them all.",
    meaning: "A name isn't in the catalogue of addons.",
  },
  ADDON_NOT_INSTALLABLE: {
    message: "The addon '{addon}' has no chart in the catalogue.",
    hint: "Its provider brings it, or there are several ways to install it; the page of its checks names them.",
    meaning: "The catalogue has no chart for the addon, so Fairlead can't install it.",
  },
  ADDON_UNSUPPORTED: {
    message: "The addon '{addon}' isn't for clusters of the type {type}.",
    hint: "Choose another addon, or give the right type by --type.",
    meaning: "The addon doesn't support this type of cluster.",
  },
  ADDON_NOT_INSTALLED: {
    httpStatus: 404,
    message: "The addon '{addon}' isn't installed here by Helm or by Argo CD.",
    hint: "'fairlead doctor' says how it is; 'fairlead addon install {addon} --cluster CLUSTER' installs it where it is missing.",
    meaning: "Neither Helm nor Argo CD installed the addon here, so it can't be upgraded.",
  },
  ADDON_CHART_OTHER: {
    httpStatus: 409,
    message: "The addon '{addon}' is installed from the chart '{chart}', and the catalogue knows '{expected}'.",
    hint: "Upgrade it the way in which it was installed.",
    meaning: "An addon is installed from another chart than the catalogue knows.",
  },
  ADDON_NOT_UPGRADABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be upgraded here: {why}.",
    meaning:
      "Somebody else keeps the application, or its chart or values are written in a way that can't be merged; the message says which.",
    remedy: "Change it where the message says.",
  },
  ADDON_NOT_ADOPTABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be adopted here: {why}.",
    meaning: "The addon isn't from a release of Helm, or somebody keeps it already; the message says which.",
    remedy: "Where Argo CD keeps it already: nothing. Otherwise remove it and install it.",
  },
  ADDON_ADOPTION_TRACKING: {
    httpStatus: 409,
    message: "Argo CD marks objects here by a label that the charts of addons set themselves.",
    hint: "Set 'application.resourceTrackingMethod: annotation' in argocd-cm first, or adopt with --through helm.",
    meaning: "Argo CD marks objects in this cluster by a label that charts set as well.",
  },
  ADDON_ADOPTION_DIFFERS: {
    httpStatus: 409,
    message: "Adopting '{addon}' would change what runs: {what}.",
    hint: "Say what was changed by hand as values with --values {addon}=FILE, or put it back first. Nothing was changed.",
    meaning:
      "Adopting an addon would change what runs, or nobody can see whether it would; the message names the fields.",
  },
  ADDON_VALUES_SECRET: {
    httpStatus: 409,
    message: "The values of '{addon}' hold secrets, which would leave the cluster with its application: {paths}.",
    hint: "Move them to a Secret that the chart refers to. If you adopt with --through helm, they stay in the cluster as they are.",
    meaning:
      "The values of an application, or of a release that is to become one, hold secrets. They would leave the cluster with it.",
  },
  ADDON_ORDER_CIRCULAR: {
    message: "Each of these addons needs another of them to be installed first: {addons}.",
    meaning: "Addons of the catalogue each need another one to be installed first. This is a bug.",
    remedy: "Report it.",
  },
} as const;

export const installErrors: Errors<typeof table> = defineErrors(table);
