import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ADDON_UNKNOWN: {
    message: "The catalogue has no addon '{addon}'.",
    hint: "Run `fairlead addon list` to list all addons.",
    meaning: "The catalogue has no addon of this name.",
  },
  ADDON_NOT_INSTALLABLE: {
    message: "The addon '{addon}' has no chart in the catalogue.",
    hint: "Follow the page of its checks: the provider brings the addon, or there are several ways to install it.",
    meaning: "The catalogue has no chart for the addon, so Fairlead can't install it.",
  },
  ADDON_UNSUPPORTED: {
    message: "The addon '{addon}' doesn't support clusters of the type {type}.",
    hint: "Choose another addon, or set the right type with --type.",
    meaning: "The addon doesn't support this type of cluster.",
  },
  ADDON_NOT_INSTALLED: {
    httpStatus: 404,
    message: "Neither Helm nor Argo CD installed the addon '{addon}' here.",
    hint: "Run 'fairlead doctor' to see its state, or 'fairlead addon install {addon} --cluster CLUSTER' if it is missing.",
    meaning: "Neither Helm nor Argo CD installed the addon here, so it can't be upgraded.",
  },
  ADDON_CHART_OTHER: {
    httpStatus: 409,
    message: "The addon '{addon}' is installed from the chart '{chart}', but the catalogue has '{expected}'.",
    hint: "Upgrade it with the tool that installed it.",
    meaning: "The addon is installed from a different chart than the one in the catalogue.",
  },
  ADDON_NOT_UPGRADABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be upgraded here: {why}.",
    meaning:
      "Another tool or user manages the application, or its chart or values are written in a way that can't be merged; the message says which.",
    remedy: "Change it in the place that the message names.",
  },
  ADDON_NOT_ADOPTABLE: {
    httpStatus: 409,
    message: "The addon '{addon}' can't be adopted here: {why}.",
    meaning: "The addon isn't from a Helm release, or another tool or user already manages it; the message says which.",
    remedy: "If Argo CD already manages it, do nothing. Otherwise uninstall the addon and install it again.",
  },
  ADDON_ADOPTION_TRACKING: {
    httpStatus: 409,
    message: "Argo CD tracks objects here with a label that the charts of addons also set.",
    hint: "Set 'application.resourceTrackingMethod: annotation' in argocd-cm first, or adopt with --through helm.",
    meaning: "Argo CD tracks objects in this cluster with a label that charts also set.",
  },
  ADDON_ADOPTION_DIFFERS: {
    httpStatus: 409,
    message: "Adopting '{addon}' would change what runs: {what}.",
    hint: "Write manual changes as values with --values {addon}=FILE, or revert them first. Nothing was changed.",
    meaning:
      "Adopting an addon would change what runs, or it can't be determined whether it would. The message names the fields.",
  },
  ADDON_VALUES_SECRET: {
    httpStatus: 409,
    message: "The values of '{addon}' contain secrets, which would leave the cluster with its application: {paths}.",
    hint: "Move them to a Secret that the chart refers to. If you adopt with --through helm, they stay in the cluster unchanged.",
    meaning:
      "The values of an application, or of a release to adopt as one, contain secrets, which would leave the cluster with it.",
  },
  ADDON_ORDER_CIRCULAR: {
    message: "The addons {addons} depend on each other: each must be installed after another.",
    meaning: "Addons in the catalogue depend on each other: each must be installed after another. This is a bug.",
    remedy: "Report it.",
  },
} as const;

export const installErrors: Errors<typeof table> = defineErrors(table);
