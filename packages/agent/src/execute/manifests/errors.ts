import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  MANIFESTS_REFUSED: {
    message: "{count} of {total} manifests can't be applied as they are; nothing was changed.",
    hint: "Correct each manifest that the result names.",
    meaning: "Some manifests can't be applied as they are. Nothing was changed.",
  },
  MANIFESTS_FAILED: {
    message: "{count} of {total} objects couldn't be applied or deleted.",
    hint: "Correct what the result says about each of them, and submit the set again.",
    meaning: "Some objects of a set couldn't be applied or deleted.",
  },
  MANIFESTS_NOT_READY: {
    message: "{detail}",
    hint: "Check the object and its events. Increase wait.timeoutSeconds to give it more time.",
    meaning: "An object was applied but didn't become ready; the message gives the reason.",
  },
  MANIFESTS_NOT_BEGUN: {
    message: "The run ended before it reached this object.",
    hint: "Correct what failed or wasn't ready in an earlier wave, and submit the set again.",
    meaning: "In a result: the run ended before it reached this object.",
  },
  MANIFESTS_KIND_UNKNOWN: {
    message: "This cluster has no {kind} of {apiVersion}.",
    hint: "Check apiVersion and kind. A CustomResourceDefinition can be in the same set.",
    meaning: "The cluster doesn't have the manifest's kind in that version.",
  },
  MANIFESTS_KIND_FIXED: {
    message: "Objects of the kind {kind} can't be applied.",
    hint: "Remove it: the cluster creates such objects itself, or the kind is a request rather than an object.",
    meaning: "A manifest is of a kind that can't be applied, such as a review.",
  },
  MANIFESTS_NAMESPACE_UNWANTED: {
    message: "Objects of the kind {kind} aren't namespaced, but this one names the namespace {namespace}.",
    hint: "Remove metadata.namespace.",
    meaning: "A manifest names a namespace, but objects of its kind aren't namespaced.",
  },
  MANIFESTS_NAMED_TWICE: {
    message: "The set contains this object twice: {first} names it too.",
    hint: "Remove one of them.",
    meaning: "A set contains the same object twice.",
  },
  MANIFESTS_NAMESPACE_MISSING: {
    message: "The namespace {namespace} doesn't exist.",
    hint: "Set createNamespace, or add the Namespace to the set.",
    meaning: "The set's namespace doesn't exist.",
  },
  MANIFESTS_NAMESPACE_TERMINATING: {
    message: "The namespace {namespace} is being deleted, so nothing can be created in it.",
    hint: "Wait until the namespace is gone, or check its status for what blocks the deletion.",
    meaning: "An object's namespace is being deleted.",
  },
  MANIFESTS_CONFLICT: {
    message: "Other field managers own fields that the manifest sets differently: {conflicts}.",
    hint: "Remove these fields from the manifest, or take them over with force.",
    meaning: "Other field managers set fields of an object differently; the message names them and the fields.",
  },
  MANIFESTS_OTHER_SET: {
    message: "The object belongs to the set {set}.",
    hint: "Remove it from one of the two sets, or take it over with force.",
    meaning: "An object belongs to another set.",
  },
  MANIFESTS_TERMINATING: {
    message: "The object is being deleted but still exists ({detail}).",
    hint: "Find out what blocks the deletion (metadata.finalizers), then submit the set again.",
  },
  MANIFESTS_RECREATED: {
    message: "Another client deleted the object and created a new one with the same name, which is left unchanged.",
    hint: "Delete it yourself if it is no longer needed.",
    meaning:
      "In a result: another client deleted the object and created a new one with the same name. It is left unchanged.",
  },
  MANIFESTS_INVENTORY_FOREIGN: {
    message: "The ConfigMap {namespace}/{name}, which would record the set, belongs to something else.",
    hint: "Choose another name for the set, or delete the ConfigMap if it is no longer needed.",
    meaning: "The ConfigMap `fairlead-set-SET` exists but doesn't belong to this set.",
  },
  MANIFESTS_INVENTORY_INVALID: {
    message: "The ConfigMap {namespace}/{name}, which records the set, can't be read.",
    hint: "Restore the ConfigMap, which may have been changed, or delete it: then none of the earlier objects is pruned.",
  },
  MANIFESTS_TOO_MANY: {
    message: "The set is too large to record (at most {limit}).",
    hint: "Split it into several sets.",
  },
} as const;

export const manifestsErrors: Errors<typeof table> = defineErrors(table);
