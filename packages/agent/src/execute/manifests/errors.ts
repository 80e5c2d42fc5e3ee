import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  MANIFESTS_REFUSED: {
    message: "{count} of {total} manifests can't be applied as they are; nothing was changed.",
    hint: "The result names each of them and what to mend.",
    meaning: "Some manifests can't be applied as they are. Nothing was changed.",
  },
  MANIFESTS_FAILED: {
    message: "{count} of {total} objects couldn't be applied or deleted.",
    hint: "The result names each of them; mend what it says and submit the set again.",
    meaning: "Some objects of a set couldn't be applied or deleted.",
  },
  MANIFESTS_NOT_READY: {
    message: "{detail}",
    hint: "Look at the object and its events. A longer wait.timeoutSeconds gives it more time.",
    meaning: "An object was applied and didn't become ready; the message says why.",
  },
  MANIFESTS_NOT_BEGUN: {
    message: "The run ended before it came to this object.",
    hint: "Mend what failed or wasn't ready in an earlier wave, and submit the set again.",
    meaning: "In a result: the run ended before it came to this object.",
  },
  MANIFESTS_KIND_UNKNOWN: {
    message: "This cluster has no {kind} of {apiVersion}.",
    hint: "Check apiVersion and kind; a CustomResourceDefinition may be in the same set.",
    meaning: "The cluster doesn't have a manifest's kind in that version.",
  },
  MANIFESTS_KIND_FIXED: {
    message: "Objects of the kind {kind} can't be applied.",
    hint: "Leave it out: the cluster makes such objects, or they are requests and not objects.",
    meaning: "A manifest is of a kind that can't be applied, such as a review.",
  },
  MANIFESTS_NAMESPACE_UNWANTED: {
    message: "Objects of the kind {kind} are in no namespace, but this one names {namespace}.",
    hint: "Remove metadata.namespace.",
    meaning: "A manifest names a namespace, and objects of its kind are in none.",
  },
  MANIFESTS_NAMED_TWICE: {
    message: "The set has this object twice: {first} names it, too.",
    hint: "Remove one of them.",
    meaning: "A set has the same object twice.",
    remedy: "Remove one of them.",
  },
  MANIFESTS_NAMESPACE_MISSING: {
    message: "There is no namespace {namespace}.",
    hint: "Set createNamespace, or put the Namespace into the set.",
    meaning: "The set's namespace isn't there.",
  },
  MANIFESTS_NAMESPACE_TERMINATING: {
    message: "The namespace {namespace} is being deleted, so nothing can be created in it.",
    hint: "Wait until it is gone, or see what holds it up: its status names what is left in it.",
    meaning: "An object's namespace is being deleted.",
  },
  MANIFESTS_CONFLICT: {
    message: "Others own fields that the manifest sets differently: {conflicts}.",
    hint: "Leave these fields out, or take them over with force.",
    meaning: "Others have set fields of an object differently; the message names them and the fields.",
  },
  MANIFESTS_OTHER_SET: {
    message: "The object belongs to the set {set}.",
    hint: "Remove it from one of the two sets, or take it over with force.",
    meaning: "An object is of another set.",
  },
  MANIFESTS_TERMINATING: {
    message: "The object is being deleted, but is still there ({detail}).",
    hint: "See what holds it up (metadata.finalizers), then submit the set again.",
  },
  MANIFESTS_RECREATED: {
    message: "Somebody deleted the object and made another of the same name, which is left alone.",
    hint: "Delete it yourself if nobody needs it.",
    meaning: "In a result: somebody deleted the object and made another one of its name. It is left alone.",
  },
  MANIFESTS_INVENTORY_FOREIGN: {
    message: "The ConfigMap {namespace}/{name}, in which the set would be kept, belongs to something else.",
    hint: "Choose another name for the set, or remove the ConfigMap if nobody needs it.",
    meaning: "The ConfigMap `fairlead-set-SET` exists, and belongs to something else than this set.",
  },
  MANIFESTS_INVENTORY_INVALID: {
    message: "The ConfigMap {namespace}/{name}, in which the set is kept, can't be read.",
    hint: "Somebody may have changed it. Put it back, or remove it: then none of the earlier objects is pruned.",
  },
  MANIFESTS_TOO_MANY: {
    message: "The set is larger than can be kept ({limit}).",
    hint: "Split it into several sets.",
  },
} as const;

export const manifestsErrors: Errors<typeof table> = defineErrors(table);
