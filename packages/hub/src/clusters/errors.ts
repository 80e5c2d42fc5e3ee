import { FairleadError } from "@fairlead/kernel";

export function clusterNameInvalid(): FairleadError {
  return new FairleadError({
    code: "CLUSTER_NAME_INVALID",
    message: "This isn't a cluster name.",
    hint: "Use a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end.",
    httpStatus: 422,
  });
}

export function clusterExists(name: string): FairleadError {
  return new FairleadError({
    code: "CLUSTER_EXISTS",
    message: `There is a cluster named ${name} already.`,
    hint: "Choose another name, or make a new join token for the one that is there.",
    httpStatus: 409,
  });
}

export function clusterNotFound(): FairleadError {
  return new FairleadError({
    code: "CLUSTER_NOT_FOUND",
    message: "The hub knows no cluster of this name.",
    hint: "`fairlead cluster list` shows the ones there are.",
    httpStatus: 404,
  });
}

export function alarmNotFound(): FairleadError {
  return new FairleadError({
    code: "CLUSTER_ALARM_NOT_FOUND",
    message: "The cluster has no such alarm that nobody has seen yet.",
    hint: "`fairlead cluster alarms NAME` shows the ones there are.",
    httpStatus: 404,
  });
}

export function alarmAgain(): FairleadError {
  return new FairleadError({
    code: "CLUSTER_ALARM_AGAIN",
    message: "The alarm was raised again since it was looked at, so it stays.",
    hint: "Look at it once more: `fairlead cluster alarms NAME`.",
    httpStatus: 409,
  });
}

export function requestInvalid(problems: string): FairleadError {
  return new FairleadError({
    code: "REQUEST_INVALID",
    message: `The request's body isn't what this call takes: ${problems}.`,
    hint: "The hub's OpenAPI document describes the body of every call.",
    httpStatus: 400,
  });
}
